import type { ContributedValue } from '#core/jobs/extension-point.ts'
import type { KubeClient } from '#core/kube/client.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import type { AgentEvalGate, AgentGate, AgentReplicas, PodAddition, PodPart } from '../../contract/points.ts'

/** Points of other plugins that take part in a reconciliation. */
export interface AgentParts {
  readonly pods: readonly ContributedValue<PodPart>[]
  readonly gates: readonly ContributedValue<AgentGate>[]
  /** Default: none. */
  readonly replicas?: readonly ContributedValue<AgentReplicas>[]
  /** Default: none. */
  readonly evalGates?: readonly ContributedValue<AgentEvalGate>[]
}

/** Calls every part in load order. An error names the plugin and is retried with back-off. */
export async function collectParts(
  { pods }: AgentParts,
  agent: AgentDeploymentObject,
  cluster: KubeClient,
): Promise<readonly ContributedValue<PodAddition>[]> {
  const parts: ContributedValue<PodAddition>[] = []
  for (const { plugin, value } of pods) {
    const added = await named(plugin, 'agents.pod-part', () => value(agent, cluster))
    if (added !== undefined) parts.push({ plugin, value: added })
  }
  return parts
}

export async function named<T>(plugin: string, point: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (cause) {
    throw new Error(`plugin ${plugin}: ${point} failed`, { cause })
  }
}
