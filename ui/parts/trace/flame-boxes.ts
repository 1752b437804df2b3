import { endOf } from './flat-tree.ts'
import type { TraceSpan } from './flat-tree.ts'

/** A box of a flame graph; left and width in percent. */
export interface FlameBox {
  readonly place: number
  readonly row: number
  readonly left: number
  readonly width: number
}

/** A box under this part of the width would be less than a pixel. */
const LEAST = 0.09

/**
 * Every span below `root` as a box under its parent. Steps and messages take no row, since they have no time of their own. Boxes under a
 * pixel merge, so that their number is bounded by the width and not by the trace.
 */
export function toFlameBoxes(spans: readonly TraceSpan[], root: number, total: number): readonly FlameBox[] {
  const base = spans[root]
  if (base === undefined) return []
  const from = base.start
  const length = Math.max(1e-6, endOf(base, total) - from)
  const rows = new Map([[root, 0]])
  const last: number[] = []
  const boxes: FlameBox[] = []
  for (const [place, span] of spans.entries()) {
    const above = place === root ? -1 : rows.get(span.parent)
    if (above === undefined) continue
    const isFlat = place !== root && (span.kind === 'step' || span.kind === 'message')
    const row = isFlat ? above : above + 1
    rows.set(place, row)
    if (isFlat) continue
    const left = Math.max(0, ((span.start - from) / length) * 100)
    const width = Math.min(100 - left, ((endOf(span, total) - span.start) / length) * 100)
    if (left >= 100 || (width < LEAST && (last[row] ?? -1) > left - LEAST)) continue
    last[row] = left
    boxes.push({ place, row, left, width: Math.max(LEAST, width) })
  }
  return boxes
}
