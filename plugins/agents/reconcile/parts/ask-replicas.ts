import { createTtlCache } from '#core/async/ttl-cache.ts'
import type { ContributedValue } from '#core/jobs/extension-point.ts'
import type { KubeClient, KubeObject, Resource } from '#core/kube/client.ts'
import { parseLabel } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject, AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import type { AgentReplicas, ReplicasProposal } from '../../contract/points.ts'
import type { PartCondition } from '../conditions/part-condition.ts'
import { named } from './collect-parts.ts'

/** The number of replicas by a plugin, and the condition `Scaled`. Both are absent if no plugin proposes one. */
export interface ReplicasVerdict {
  readonly replicas?: number
  readonly condition?: PartCondition
}

/** Reads the HorizontalPodAutoscaler of an agent's Deployment; undefined without one. */
export type FindAutoscaler = (agent: AgentDeploymentObject) => Promise<string | undefined>

type Autoscaler = KubeObject<{ readonly scaleTargetRef?: { readonly kind?: string; readonly name?: string } }>

const autoscalers: Resource = {
  group: 'autoscaling',
  version: 'v2',
  plural: 'horizontalpodautoscalers',
  kind: 'HorizontalPodAutoscaler',
  namespaced: true,
}

const MAX_REPLICAS = 1000
const AUTOSCALERS_TTL_MS = 10_000

/** Creates the look-up of autoscalers. It lists those of a namespace at most every ten seconds, and only for agents that a plugin scales. */
export function createFindAutoscaler(cluster: KubeClient, ttlMs = AUTOSCALERS_TTL_MS): FindAutoscaler {
  const listed = createTtlCache<readonly Autoscaler[]>(ttlMs)
  return async ({ metadata }) => {
    const namespace = parseLabel('metadata.namespace', metadata.namespace ?? '')
    const found = await listed(namespace, async () => {
      // The embedded API server has no such kind.
      const page = await cluster.list<Autoscaler>(autoscalers, { namespace }).catch((error: unknown) => {
        if (isStatus(error, 404)) return { items: [] }
        throw error
      })
      return page.items
    })
    const isOfAgent = ({ spec }: Autoscaler): boolean =>
      [AgentDeployment.kind, 'Deployment'].includes(spec?.scaleTargetRef?.kind ?? '') &&
      spec?.scaleTargetRef?.name === metadata.name
    return found.find(isOfAgent)?.metadata.name
  }
}

/**
 * Asks every plugin for the number of replicas. The spec and an autoscaler take precedence, and two proposals have no effect: the condition names
 * who decides.
 */
export async function askReplicas(
  owners: readonly ContributedValue<AgentReplicas>[],
  agent: AgentDeploymentObject,
  { cluster, findAutoscaler }: { readonly cluster: KubeClient; readonly findAutoscaler: FindAutoscaler },
): Promise<ReplicasVerdict> {
  if (agent.spec.executionModel === 'job') return {}
  const proposals: { readonly plugin: string; readonly value: ReplicasProposal }[] = []
  for (const { plugin, value } of owners) {
    const proposal = await named(plugin, 'agents.replicas', () => value(agent, cluster))
    if (proposal !== undefined) proposals.push({ plugin, value: proposal })
  }
  const [first] = proposals
  if (first === undefined) return {}
  const { scaling } = agent.spec
  const plugins = proposals.map(({ plugin }) => plugin).join(', ')
  if (scaling?.replicas !== undefined)
    return yielded('ReplicasInSpec', `spec.scaling.replicas sets the number; without it, plugin ${plugins} would.`)
  const autoscaler = await findAutoscaler(agent)
  if (autoscaler !== undefined)
    return yielded('Autoscaled', `HorizontalPodAutoscaler ${autoscaler} sets the number, not plugin ${plugins}.`)
  if (proposals.length > 1)
    return yielded('SeveralOwners', `Only one plugin may set the number of replicas, and these do: ${plugins}.`)
  const problem = problemOf(first.value)
  if (problem !== undefined) return yielded('ProposalRefused', `Plugin ${first.plugin}: ${problem}.`)
  return decided(first.plugin, first.value, scaling)
}

function decided(
  plugin: string,
  { replicas, min = 0, max = MAX_REPLICAS, reason, message }: ReplicasProposal,
  scaling: AgentDeploymentSpec['scaling'],
): ReplicasVerdict {
  // The bounds of the agent narrow those of the plugin.
  const most = Math.min(max, scaling?.maxReplicas ?? max)
  const least = Math.min(most, Math.max(min, scaling?.minReplicas ?? min))
  const number = Math.min(most, Math.max(least, replicas))
  const wanted = number === replicas ? '' : `, not ${replicas}`
  const text = `${number} replicas${wanted} (${least} to ${most}), by plugin ${plugin}${message === undefined ? '' : `: ${message}`}`
  return { replicas: number, condition: { type: 'Scaled', status: 'True', reason, message: text.slice(0, 1024) } }
}

function yielded(reason: string, message: string): ReplicasVerdict {
  return { condition: { type: 'Scaled', status: 'False', reason, message } }
}

// Values of plugins reach the cluster and terminals.
function problemOf({ replicas, min, max, reason, message = '' }: ReplicasProposal): string | undefined {
  for (const [field, value] of Object.entries({ replicas, min, max }))
    if (value !== undefined && !(Number.isInteger(value) && value >= 0 && value <= MAX_REPLICAS))
      return `${field} must be an integer from 0 to ${MAX_REPLICAS}`
  if (min !== undefined && max !== undefined && min > max) return 'min must not exceed max'
  if (!/^[A-Z][A-Za-z0-9]{0,63}$/.test(reason)) return 'reason must be a CamelCase word'
  return /[\p{C}]/u.test(message) || message.length > 512
    ? 'message must be at most 512 printable characters'
    : undefined
}
