import type { PlacedBox, PlacedGraph } from './place-graph.ts'
import type { GraphEdge } from './topology-graph.ts'

/** A line of the graph. */
export interface DrawnEdge {
  readonly edge: GraphEdge
  readonly path: string
  /** Width by the number of calls. */
  readonly width: number
}

/** The lines between nodes that are shown. Membership is the frame and has none. */
export function toDrawnEdges(edges: readonly GraphEdge[], { nodes }: PlacedGraph): readonly DrawnEdge[] {
  return edges.flatMap((edge) => {
    const [from, to] = [nodes.get(edge.from), nodes.get(edge.to)]
    if (edge.kind === 'member' || from === undefined || to === undefined) return []
    return [{ edge, path: curve(from, to), width: 1 + Math.log10(1 + (edge.calls ?? 0)) * 0.7 }]
  })
}

/** The node that an arrow key moves to: the nearest one in its direction. */
export function nearestNode({ nodes }: PlacedGraph, from: string, key: string): string | undefined {
  const start = nodes.get(from)
  const step = steps[key]
  if (start === undefined || step === undefined) return undefined
  let best: { readonly id: string; readonly far: number } | undefined
  for (const [id, { x, y }] of nodes) {
    const [dx, dy] = [x - start.x, y - start.y]
    const along = dx * step[0] + dy * step[1]
    if (along <= 0) continue
    // What is beside the way is farther than what is on it.
    const far = along + 3 * Math.abs(dx * step[1] + dy * step[0])
    if (best === undefined || far < best.far) best = { id, far }
  }
  return best?.id
}

const steps: Readonly<Record<string, readonly [number, number]>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
}

// Lines that lead back leave at the left, and those within a column bend around it.
function curve(from: PlacedBox, to: PlacedBox): string {
  const isBack = to.x + to.width <= from.x
  const isForward = from.x + from.width <= to.x
  const [x1, y1] = [isBack ? from.x : from.x + from.width, from.y + from.height / 2]
  const [x2, y2] = [isForward ? to.x : to.x + to.width, to.y + to.height / 2]
  const bend = Math.max(30, Math.abs(x2 - x1) / 2)
  return `M${x1} ${y1}C${x1 + (isBack ? -bend : bend)} ${y1} ${x2 + (isForward ? -bend : bend)} ${y2} ${x2} ${y2}`
}
