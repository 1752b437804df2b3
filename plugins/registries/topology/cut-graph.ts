import { topologyKinds } from '#schemas/api/topology.ts'
import type { TopologyNode } from '#schemas/api/topology.ts'
import type { Graph } from './to-graph.ts'

/** A graph of at most some nodes. */
export interface CutGraph extends Graph {
  /** Number of omitted nodes by kind. */
  readonly omitted: Readonly<Record<string, number>>
}

/** Nodes that are connected with one by at most `depth` edges in either direction, and their edges. Pure. */
export function around({ nodes, edges }: Graph, center: string, depth: number): Graph {
  const neighbours = new Map<string, string[]>()
  const connect = (a: string, b: string): void => {
    const known = neighbours.get(a)
    if (known === undefined) neighbours.set(a, [b])
    else known.push(b)
  }
  for (const { from, to } of edges) {
    connect(from.id, to.id)
    connect(to.id, from.id)
  }
  const reached = new Set([center])
  let last = [center]
  for (let step = 0; step < depth && last.length > 0; step++) {
    last = last.flatMap((id) => neighbours.get(id) ?? []).filter((id) => !reached.has(id))
    for (const id of last) reached.add(id)
  }
  return keep({ nodes, edges }, reached)
}

/** The first nodes: those in trouble, then those with failures and runs. The others are counted by kind. Pure. */
export function cutGraph(graph: Graph, most: number): CutGraph {
  const sorted = graph.nodes.toSorted(inTroubleFirst)
  const omitted: Record<string, number> = {}
  for (const { kind } of sorted.slice(most)) omitted[kind] = (omitted[kind] ?? 0) + 1
  const nodes = sorted.slice(0, most)
  return { ...keep({ nodes, edges: graph.edges }, new Set(nodes.map(({ id }) => id))), omitted }
}

// An edge to an object that is not a node stays: it shows the object.
function keep({ nodes, edges }: Graph, ids: ReadonlySet<string>): Graph {
  return { nodes: nodes.filter(({ id }) => ids.has(id)), edges: edges.filter(({ from }) => ids.has(from.id)) }
}

function inTroubleFirst(a: TopologyNode, b: TopologyNode): number {
  const failed = (node: TopologyNode): number => node.metrics?.failed1h ?? 0
  const runs = (node: TopologyNode): number => node.metrics?.runs1h ?? 0
  const kind = (node: TopologyNode): number => topologyKinds.indexOf(node.kind)
  const byName = a.id < b.id ? -1 : 1
  return b.rank - a.rank || failed(b) - failed(a) || runs(b) - runs(a) || kind(a) - kind(b) || byName
}
