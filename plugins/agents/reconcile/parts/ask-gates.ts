import type { KubeClient } from '#core/kube/client.ts'
import type { AgentGate, GateHold } from '../../contract/points.ts'
import type { AgentParts } from './collect-parts.ts'
import { named } from './collect-parts.ts'

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
