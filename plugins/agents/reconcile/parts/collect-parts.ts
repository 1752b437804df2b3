import type { Contributed } from '#core/jobs/extension-point.ts'
import type { KubeClient } from '#core/kube/client.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import type { AgentGate, GateHold, PodAddition, PodPart } from '../../points.ts'

/** Points of other plugins that take part in a reconciliation. */
export interface AgentParts {
  readonly pods: readonly Contributed<PodPart>[]
  readonly gates: readonly Contributed<AgentGate>[]
}

/** Calls every part in load order. An error names the plugin and is retried with back-off. */
export async function collectParts(
  { pods }: AgentParts,
  agent: AgentDeploymentObject,
  cluster: KubeClient,
): Promise<readonly Contributed<PodAddition>[]> {
  const parts: Contributed<PodAddition>[] = []
  for (const { plugin, value } of pods) {
    const added = await named(plugin, 'agents.pod-part', () => value(agent, cluster))
    if (added !== undefined) parts.push({ plugin, value: added })
  }
  return parts
}

/** A gate that holds the agent back, and its plugin. */
export type HeldRevision = GateHold & { readonly plugin: string }

/** Asks every gate about a revision. Each one that holds it back is returned; the first one is the reason. */
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

async function named<T>(plugin: string, point: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (cause) {
    throw new Error(`plugin ${plugin}: ${point} failed`, { cause })
  }
}
