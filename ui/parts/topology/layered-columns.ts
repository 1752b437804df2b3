import type { GraphEdge, GraphNode } from './topology-graph.ts'

/** More in one column than this stand in columns beside each other. */
const HIGHEST = 8

/** The columns of a frame: what refers is left of what it refers to. Objects of a circle stand where it was entered. */
export function toColumns(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): readonly (readonly GraphNode[])[] {
  const inside = new Set(nodes.map(({ id }) => id))
  const own = edges.filter(
    ({ from, to, kind }) => kind !== 'member' && from !== to && inside.has(from) && inside.has(to),
  )
  const ranks = rankNodes(nodes, own)
  const columns: GraphNode[][] = []
  for (const node of nodes) (columns[ranks.get(node.id) ?? 0] ??= []).push(node)
  const ordered = orderColumns(
    columns.map((column) => column ?? []),
    own,
  )
  return ordered.flatMap(splitColumn)
}

// The longest way to a node. Each pass can only move nodes to the right, and a circle ends with the number of passes.
function rankNodes(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): ReadonlyMap<string, number> {
  const forward = withoutCircles(nodes, edges)
  const ranks = new Map(nodes.map(({ id }) => [id, 0]))
  for (let pass = 0; pass < nodes.length; pass += 1) {
    let hasMoved = false
    for (const { from, to } of forward) {
      const rank = (ranks.get(from) ?? 0) + 1
      if (rank <= (ranks.get(to) ?? 0)) continue
      ranks.set(to, rank)
      hasMoved = true
    }
    if (!hasMoved) break
  }
  return ranks
}

// Leaves out the edges that lead back to a node on the way to them. Without recursion: a chain may be as long as the graph.
function withoutCircles(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): readonly GraphEdge[] {
  const out = new Map<string, GraphEdge[]>()
  for (const edge of edges) out.set(edge.from, [...(out.get(edge.from) ?? []), edge])
  const state = new Map<string, 'open' | 'done'>()
  const kept: GraphEdge[] = []
  for (const { id } of nodes) {
    const way: { readonly id: string; readonly rest: GraphEdge[] }[] = []
    const enter = (node: string): void => {
      state.set(node, 'open')
      way.push({ id: node, rest: [...(out.get(node) ?? [])] })
    }
    if (!state.has(id)) enter(id)
    for (let last = way.at(-1); last !== undefined; last = way.at(-1)) {
      const edge = last.rest.pop()
      if (edge === undefined) {
        state.set(last.id, 'done')
        way.pop()
        continue
      }
      if (state.get(edge.to) === 'open') continue
      kept.push(edge)
      if (!state.has(edge.to)) enter(edge.to)
    }
  }
  return kept
}

// By the middle of what refers to a node, so that lines cross less.
function orderColumns(columns: readonly (readonly GraphNode[])[], edges: readonly GraphEdge[]) {
  const places = new Map<string, number>()
  return columns.map((column) => {
    const middle = ({ id }: GraphNode): number => {
      const before = edges.filter((edge) => edge.to === id).flatMap(({ from }) => places.get(from) ?? [])
      return before.length === 0
        ? Number.MAX_SAFE_INTEGER
        : before.reduce((sum, place) => sum + place, 0) / before.length
    }
    const ordered = column.map((node) => ({ node, at: middle(node) })).toSorted((a, b) => a.at - b.at)
    for (const [index, { node }] of ordered.entries()) places.set(node.id, index)
    return ordered.map(({ node }) => node)
  })
}

function splitColumn(column: readonly GraphNode[]): readonly (readonly GraphNode[])[] {
  const parts = Math.ceil(column.length / HIGHEST)
  const size = Math.ceil(column.length / Math.max(1, parts))
  return Array.from({ length: parts }, (_, index) => column.slice(index * size, (index + 1) * size))
}
