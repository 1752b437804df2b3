import { endOf } from './flat-tree.ts'
import type { SpanKind, TraceSpan } from './flat-tree.ts'

/** A rectangle of the minimap. */
export interface MinimapRect {
  readonly kind: SpanKind
  readonly hasError: boolean
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** The whole trace in a small box: a line by depth. Failures come last, so that nothing covers them. */
export function toMinimapRects(
  spans: readonly TraceSpan[],
  total: number,
  box: { readonly width: number; readonly height: number },
): readonly MinimapRect[] {
  const drawn = spans.filter(({ kind }) => kind !== 'run' && kind !== 'step')
  const deepest = drawn.reduce((most, { depth }) => Math.max(most, depth), 1)
  const line = (box.height - 7) / deepest
  return drawn
    .map((span) => ({
      kind: span.kind,
      hasError: span.hasError,
      x: (span.start / total) * box.width,
      y: 3 + (span.depth - 1) * line,
      width: Math.max(1, ((endOf(span, total) - span.start) / total) * box.width),
      height: Math.max(2.5, line - 1),
    }))
    .toSorted((a, b) => Number(a.hasError) - Number(b.hasError))
}
