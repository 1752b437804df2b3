import { isObject } from '#core/json/is-object.ts'
import type { TopologyEdge, TopologyMetrics, TopologyNode } from '#schemas/api/topology.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import type { AgentRegistryObject } from '#schemas/crds/agent-registry.ts'
import { isMember, roleOf } from '../members/membership.ts'
import type { CallsByEdge } from '../store/read-calls.ts'
import { edgeKind, nodeName } from './graph-kinds.ts'
import type { GraphObject, NodeName } from './graph-kinds.ts'
import type { LinkedObject } from './read-objects.ts'

/** What is counted in the last hour, as far as the caller may list runs. */
export interface GraphCounts {
  readonly calls: CallsByEdge
  /** By id of the agent's node. */
  readonly metrics: ReadonlyMap<string, TopologyMetrics>
}

/** Nodes and edges of a graph. */
export interface Graph {
  readonly nodes: readonly TopologyNode[]
  readonly edges: readonly TopologyEdge[]
}

/** Nodes and edges of objects and the references between them. Pure. */
export function toGraph(objects: readonly LinkedObject[], { calls, metrics }: GraphCounts): Graph {
  const byId = new Map(objects.map((one) => [one.id, one]))
  const edges = objects.flatMap((one) =>
    one.references.map((reference): TopologyEdge => {
      const to = nodeName(reference.kind, reference.namespace, reference.name)
      const counted = calls.get(`${one.id} ${to.id}`)
      const kind = edgeKind(one.kind, to.kind)
      const { field } = reference
      return { from: toName(one), to, kind, field, role: roleIn(byId, one, to), ...counted }
    }),
  )
  const failing = new Set(edges.filter(({ failed1h = 0 }) => failed1h > 0).map(({ to }) => to.id))
  const nodes = objects.map((one) => toNode(one, metrics.get(one.id), failing.has(one.id)))
  return { nodes, edges }
}

function toNode(one: GraphObject, metrics: TopologyMetrics | undefined, isFailing: boolean): TopologyNode {
  const { object } = one
  const phase = phaseOf(object)
  const hasFailures = isFailing || (metrics?.failed1h ?? 0) > 0
  return {
    ...toName(one),
    found: object !== undefined,
    ready: readyOf(object),
    phase,
    rank: ranks[phase] ?? (hasFailures ? 1 : 0),
    ...(metrics && { metrics }),
  }
}

const ranks: Readonly<Record<string, number | undefined>> = { missing: 3, degraded: 3, notReady: 2 }

function toName({ id, kind, namespace, name }: NodeName): NodeName {
  return { id, kind, namespace, name }
}

// The role of the agent at either end. A registry shows the roles of agents that are not members, too.
function roleIn(byId: ReadonlyMap<string, GraphObject>, from: GraphObject, to: NodeName): string | null {
  if (from.kind === 'AgentRegistry') return roleOf(from.object as AgentRegistryObject, to)
  const registry =
    to.kind === 'AgentRegistry' ? (byId.get(to.id)?.object as AgentRegistryObject | undefined) : undefined
  if (registry === undefined || from.kind !== 'AgentDeployment') return null
  return isMember(from.object as AgentDeploymentObject, registry) ? roleOf(registry, from) : null
}

function phaseOf(object: GraphObject['object']): TopologyNode['phase'] {
  if (object === undefined) return 'missing'
  if (statusOf(object, 'Degraded') === 'True') return 'degraded'
  const ready = readyOf(object)
  return ready === null ? 'unknown' : ready ? 'ready' : 'notReady'
}

function readyOf(object: GraphObject['object']): boolean | null {
  const ready = statusOf(object, 'Ready')
  return ready === undefined ? null : ready === 'True'
}

function statusOf(object: GraphObject['object'], type: string): unknown {
  const conditions: unknown = isObject(object?.status) ? object.status.conditions : undefined
  const found = Array.isArray(conditions) ? conditions.find((one) => isObject(one) && one.type === type) : undefined
  return isObject(found) ? found.status : undefined
}
