import { endOf, totalOf } from './flat-tree.ts'
import type { TraceSpan } from './flat-tree.ts'

/** The part of the time that is shown, in milliseconds since the start. */
export interface TimeZoom {
  readonly from: number
  readonly to: number
}

/** A step that is shorter than this part of the run cannot be seen in it, nor can the failure in the step. */
const SHORTEST = 1 / 200
const MARGIN = 0.02

/** A failed run opens on the top-level step with the failure; another run, and a step too short to be drawn, on the whole. */
export function zoomAtFirst(spans: readonly TraceSpan[], selected: number, total = totalOf(spans)): TimeZoom {
  const whole = { from: 0, to: total }
  if (spans[selected]?.hasError !== true) return whole
  let place = selected
  for (let parent = spans[place]?.parent ?? -1; parent > 0; parent = spans[place]?.parent ?? -1) place = parent
  const step = spans[place]
  if (step === undefined || place === 0 || endOf(step, total) - step.start < total * SHORTEST) return whole
  return zoomTo(step, total)
}

/** The time of a span with some around it; the whole for a span without a length. */
export function zoomTo(span: TraceSpan, total: number): TimeZoom {
  const end = endOf(span, total)
  const margin = (end - span.start) * MARGIN
  if (margin === 0) return { from: 0, to: total }
  return { from: Math.max(0, span.start - margin), to: Math.min(total, end + margin) }
}

/** The part of the time between two points of a drag, in parts of 1; undefined for what was a click. */
export function zoomOfDrag(a: number, b: number, total: number): TimeZoom | undefined {
  const [from = 0, to = 0] = [a, b].map((part) => Math.min(1, Math.max(0, part)) * total).toSorted((x, y) => x - y)
  return to - from < total * 0.005 ? undefined : { from, to }
}

/** Where a bar begins and how long it is, in percent of the lane. It is cut a little outside, so that its ends are not seen there. */
export function barOf(
  span: TraceSpan,
  { from, to }: TimeZoom,
  total: number,
): { readonly left: number; readonly width: number } {
  const place = (time: number): number => Math.min(102, Math.max(-2, ((time - from) / Math.max(1e-6, to - from)) * 100))
  const left = place(span.start)
  return { left, width: place(endOf(span, total)) - left }
}
