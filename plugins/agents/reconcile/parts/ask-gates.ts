import type { KubeClient } from '#core/kube/client.ts'
import type { AgentDeploymentStatus } from '#schemas/crds/agent-deployment.ts'
import type { AgentGate, GateCandidate, GateHold } from '../../contract/points.ts'
import type { AgentParts } from './collect-parts.ts'
import { named } from './collect-parts.ts'

/** What evaluations know of the newest revision, for the status of an agent with an eval gate. */
export async function askEvalGate(
  { evalGates = [] }: AgentParts,
  { agent, revision }: Pick<GateCandidate, 'agent' | 'revision'>,
  cluster: KubeClient,
): Promise<AgentDeploymentStatus['evalGate']> {
  const [source] = evalGates
  if (source === undefined || agent.spec.evalGate === undefined) return undefined
  return named(source.plugin, 'agents.eval-gate', () => source.value.statusOf(agent, revision, cluster))
}

/** A gate that holds the agent back, and its plugin. */
export type HeldRevision = GateHold & { readonly plugin: string }

/** Calls every gate for a revision. Returns all gates that hold it back; the first one is the reason. */
export async function askGates(
  { gates }: AgentParts,
  candidate: Parameters<AgentGate>[0],
  cluster: KubeClient,
): Promise<readonly HeldRevision[]> {
  const held: HeldRevision[] = []
  for (const { plugin, value } of gates) {
    const verdict = await named(plugin, 'agents.gate', () => value(candidate, cluster))
    if (verdict !== undefined) held.push({ ...verdict, plugin })
  }
  return held
}
