import type { Static } from 'typebox'
import type { Topology, TopologyEdge, TopologyNode } from '#schemas/api/topology.ts'
import type { GraphEdge, GraphNode } from '#ui/parts/topology/topology-graph.ts'

/** Response of the topology. */
export type TopologyView = Static<typeof Topology>

/** Which objects are shown. */
export interface NodeFilter {
  /** Words of the name. */
  readonly words: string
  readonly isTroubleOnly: boolean
}

/** The objects that match, with what they are connected to; all without a filter. */
export function filterNodes(
  { nodes, edges }: TopologyView,
  { words, isTroubleOnly }: NodeFilter,
): readonly TopologyNode[] {
  const wanted = words.trim().toLowerCase()
  if (wanted === '' && !isTroubleOnly) return nodes
  const found = new Set(
    nodes
      .filter(
        ({ name, namespace, rank }) =>
          (!isTroubleOnly || rank > 0) && `${namespace}/${name}`.toLowerCase().includes(wanted),
      )
      .map(({ id }) => id),
  )
  const near = new Set(found)
  for (const { from, to } of edges) {
    if (found.has(from.id)) near.add(to.id)
    if (found.has(to.id)) near.add(from.id)
  }
  return nodes.filter(({ id }) => near.has(id))
}

/** The nodes as the graph draws them. */
export function toGraphNodes(nodes: readonly TopologyNode[]): readonly GraphNode[] {
  return nodes.map(({ id, kind, namespace, name, rank, phase }) => ({ id, kind, namespace, name, rank, phase }))
}

/** The edges between shown nodes. Several fields of one object may name the same other one: they are one line. */
export function toGraphEdges(edges: readonly TopologyEdge[], nodes: readonly TopologyNode[]): readonly GraphEdge[] {
  const shown = new Set(nodes.map(({ id }) => id))
  const lines = new Map<string, GraphEdge>()
  for (const { from, to, kind, count1h: calls, failed1h: failed } of edges) {
    if (!shown.has(from.id) || !shown.has(to.id)) continue
    const key = JSON.stringify([from.id, to.id, kind])
    const was = lines.get(key)
    lines.set(key, { from: from.id, to: to.id, kind, calls: add(was?.calls, calls), failed: add(was?.failed, failed) })
  }
  return [...lines.values()]
}

function add(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : a + (b ?? 0)
}

/** A row of the table: an edge, or a node without one. */
export interface TopologyRow {
  readonly key: string
  readonly from: TopologyNode
  readonly edge: TopologyEdge | undefined
}

/** The edges as rows, those with failures first, and the nodes that have none. */
export function tableRowsOf(nodes: readonly TopologyNode[], edges: readonly TopologyEdge[]): readonly TopologyRow[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const touched = new Set<string>()
  const rows = edges.flatMap((edge): readonly TopologyRow[] => {
    const from = byId.get(edge.from.id)
    if (from === undefined || !byId.has(edge.to.id)) return []
    touched.add(edge.from.id).add(edge.to.id)
    return [{ key: JSON.stringify([edge.from.id, edge.to.id, edge.kind, edge.field]), from, edge }]
  })
  const alone = nodes.filter(({ id }) => !touched.has(id)).map((from) => ({ key: from.id, from, edge: undefined }))
  const failures = ({ edge }: TopologyRow): number => edge?.failed1h ?? 0
  return [...rows.toSorted((a, b) => failures(b) - failures(a)), ...alone]
}

/** The page of an object in this console, by its kind; undefined if it has none. */
export function objectPath({
  kind,
  namespace,
  name,
}: Pick<TopologyNode, 'kind' | 'namespace' | 'name'>): string | undefined {
  const page = pages[kind]
  return page === undefined ? undefined : `/${page}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`
}

const pages: Readonly<Record<string, string>> = {
  AgentDeployment: 'agents',
  ModelRoute: 'modelroutes',
  McpServer: 'mcpservers',
  KnowledgeBase: 'knowledge',
}
