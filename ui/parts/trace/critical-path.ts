import { endOf } from './flat-tree.ts'
import type { TraceSpan } from './flat-tree.ts'

/**
 * The spans that the end of the run waited for. Backwards from the end of a span, the child that ended last was waited for; before it
 * began, that which had ended last by then.
 */
export function criticalPath(spans: readonly TraceSpan[], total: number): ReadonlySet<number> {
  const below = Map.groupBy(spans.keys(), (place) => spans[place]?.parent ?? -1)
  const path = new Set<number>()
  const open = [0]
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const span = spans[place]
    if (span === undefined) continue
    path.add(place)
    let reached = endOf(span, total)
    const children = (below.get(place) ?? []).flatMap((child) => {
      const one = spans[child]
      return one === undefined ? [] : [{ child, start: one.start, end: endOf(one, total) }]
    })
    for (const { child, start, end } of children.toSorted((a, b) => b.end - a.end)) {
      if (end > reached && path.size > 1) continue
      reached = start
      open.push(child)
    }
  }
  return path
}
