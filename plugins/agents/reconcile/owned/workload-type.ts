import type { AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'

/** How the agent runs: the launcher's own loop, a command under the launcher, or an image beside it. */
export type WorkloadType = 'declarative' | 'command' | 'image'

/** Returns the workload type of a spec. */
export function workloadType(spec: AgentDeploymentSpec): WorkloadType {
  if (spec.runtime?.command !== undefined) return 'command'
  return spec.image === undefined ? 'declarative' : 'image'
}
