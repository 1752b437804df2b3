import { toColumns } from './layered-columns.ts'
import { toFrames } from './topology-graph.ts'
import type { GraphEdge, GraphFrame, GraphNode } from './topology-graph.ts'

/** Size of a node, in pixels. */
export const NODE_WIDTH = 172
/** See `NODE_WIDTH`. */
export const NODE_HEIGHT = 44

const GAP_X = 60
const GAP_Y = 10
const EDGE = 14
const TITLE = 24
const BETWEEN = 18

/** A box with its place. */
export interface PlacedBox {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** A graph with the place of each frame and node. */
export interface PlacedGraph {
  readonly frames: readonly (PlacedBox & { readonly frame: GraphFrame })[]
  readonly nodes: ReadonlyMap<string, PlacedBox & { readonly node: GraphNode }>
  readonly width: number
  readonly height: number
}

interface FramePart {
  readonly frame: GraphFrame
  readonly columns: readonly (readonly GraphNode[])[]
  readonly width: number
  readonly height: number
}

const MOST_SHELVES = 5

/** Places the frames on as many shelves beside each other as fill a box best. */
export function placeGraph(
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  box: { readonly width: number; readonly height: number },
): PlacedGraph {
  const parts = toFrames(nodes, edges).map((frame) => toPart(frame, edges))
  const tried = Array.from({ length: Math.min(MOST_SHELVES, Math.max(1, parts.length)) }, (_, index) =>
    arrange(parts, index + 1),
  )
  return tried.reduce((best, next) => (scaleOf(next, box) > scaleOf(best, box) ? next : best))
}

/** How much a graph is scaled to be seen whole; never enlarged. */
export function scaleOf(
  { width, height }: Pick<PlacedGraph, 'width' | 'height'>,
  box: { readonly width: number; readonly height: number },
): number {
  return Math.min(1, box.width / Math.max(1, width), box.height / Math.max(1, height))
}

function toPart(frame: GraphFrame, edges: readonly GraphEdge[]): FramePart {
  const columns = toColumns(frame.nodes, edges)
  const highest = Math.max(1, ...columns.map(({ length }) => length))
  return {
    frame,
    columns,
    width: 2 * EDGE + Math.max(1, columns.length) * (NODE_WIDTH + GAP_X) - GAP_X,
    height: TITLE + EDGE + highest * (NODE_HEIGHT + GAP_Y) - GAP_Y,
  }
}

function arrange(parts: readonly FramePart[], count: number): PlacedGraph {
  const shelves = Array.from({ length: count }, () => ({ height: 0, width: 0, parts: [] as FramePart[] }))
  for (const part of parts.toSorted((a, b) => b.height - a.height)) {
    const shelf = shelves.reduce((lowest, one) => (one.height < lowest.height ? one : lowest))
    shelf.parts.push(part)
    shelf.height += part.height + BETWEEN
    shelf.width = Math.max(shelf.width, part.width)
  }
  const frames: (PlacedBox & { readonly frame: GraphFrame })[] = []
  const nodes = new Map<string, PlacedBox & { readonly node: GraphNode }>()
  let x = 0
  for (const shelf of shelves) {
    let y = 0
    for (const part of shelf.parts) {
      frames.push({ frame: part.frame, x, y, width: shelf.width, height: part.height })
      placeNodes(part, { x, y }, nodes)
      y += part.height + BETWEEN
    }
    x += shelf.width + BETWEEN
  }
  const height = Math.max(0, ...shelves.map((shelf) => shelf.height - BETWEEN))
  return { frames, nodes, width: Math.max(0, x - BETWEEN), height }
}

function placeNodes(
  { columns, height }: FramePart,
  corner: { readonly x: number; readonly y: number },
  nodes: Map<string, PlacedBox & { readonly node: GraphNode }>,
): void {
  for (const [index, column] of columns.entries()) {
    const used = column.length * (NODE_HEIGHT + GAP_Y) - GAP_Y
    // In the middle, so that a line from one node to its only tool is straight.
    const top = corner.y + TITLE + Math.max(0, (height - TITLE - EDGE - used) / 2)
    for (const [row, node] of column.entries())
      nodes.set(node.id, {
        node,
        x: corner.x + EDGE + index * (NODE_WIDTH + GAP_X),
        y: top + row * (NODE_HEIGHT + GAP_Y),
        width: NODE_WIDTH,
        height: NODE_HEIGHT,
      })
  }
}
