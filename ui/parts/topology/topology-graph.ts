/** An object of a graph. */
export interface GraphNode {
  readonly id: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  /** Trouble: 3 missing or degraded, 2 not ready, 1 failures, 0 none. */
  readonly rank: number
  readonly phase: string
}

/** A reference of one object to another; a member of a registry is in its frame. */
export interface GraphEdge {
  readonly from: string
  readonly to: string
  readonly kind: 'calls' | 'uses' | 'member' | 'routes'
  /** Undefined where calls are not counted. */
  readonly calls: number | undefined
  readonly failed: number | undefined
}

/** A frame: a registry, or the objects of a namespace that are in none. */
export interface GraphFrame {
  readonly id: string
  readonly title: string
  readonly nodes: readonly GraphNode[]
}

const REGISTRY = 'AgentRegistry'

/** Puts each object into one frame: agents by their registry, other objects beside the first one that refers to them. */
export function toFrames(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): readonly GraphFrame[] {
  const frames = framesById(nodes, edges)
  const titles = new Map(nodes.filter(({ kind }) => kind === REGISTRY).map(({ id, name }) => [id, name]))
  const byFrame = new Map<string, GraphNode[]>([...titles.keys()].map((id) => [id, []]))
  for (const node of nodes) {
    if (titles.has(node.id)) continue
    const frame = frames.get(node.id) ?? namespaceFrame(node)
    byFrame.set(frame, [...(byFrame.get(frame) ?? []), node])
  }
  return [...byFrame].map(([id, list]) => ({ id, title: titles.get(id) ?? id.slice(NAMESPACE.length), nodes: list }))
}

const NAMESPACE = 'namespace/'

function namespaceFrame({ namespace }: GraphNode): string {
  return `${NAMESPACE}${namespace}`
}

function framesById(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): ReadonlyMap<string, string> {
  const frames = new Map<string, string>()
  const known = new Set(nodes.map(({ id }) => id))
  for (const { from, to, kind } of edges)
    if (kind === 'member' && known.has(to) && !frames.has(from)) frames.set(from, to)
  for (const node of nodes) {
    const isAgent = node.kind === 'AgentDeployment'
    if (isAgent && !frames.has(node.id)) frames.set(node.id, namespaceFrame(node))
  }
  // From the agents outwards, so that a provider stands beside the route that leads to it.
  const open = nodes.filter(({ id }) => frames.has(id)).map(({ id }) => id)
  for (let id = open.shift(); id !== undefined; id = open.shift())
    for (const edge of edges) {
      if (edge.from !== id || edge.kind === 'member' || frames.has(edge.to)) continue
      frames.set(edge.to, frames.get(id) ?? '')
      open.push(edge.to)
    }
  return frames
}
