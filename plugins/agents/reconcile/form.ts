import type { AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'

/** How the agent runs: the launcher's own loop, a command under the launcher, or an image beside it. */
export type AgentForm = 'declarative' | 'command' | 'image'

/** Returns the form of a spec. */
export function formOf(spec: AgentDeploymentSpec): AgentForm {
  if (spec.runtime?.command !== undefined) return 'command'
  return spec.image === undefined ? 'declarative' : 'image'
}
