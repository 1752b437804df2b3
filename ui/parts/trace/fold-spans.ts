import { wayTo } from './flat-tree.ts'
import type { TraceSpan } from './flat-tree.ts'

/** So many rows are open at first: all of a short run, and the outline of a long one. */
const OPEN_ROWS = 120

/** The spans that are folded at first: opened breadth first until 120 rows, and always on the way to the selected one. */
export function foldAtFirst(spans: readonly TraceSpan[], selected: number): ReadonlySet<number> {
  const way = new Set(wayTo(spans, selected))
  const parents = spans
    .map(({ depth, children }, place) => ({ place, depth, children }))
    .filter(({ children }) => children > 0)
    .toSorted((a, b) => Number(way.has(b.place)) - Number(way.has(a.place)) || a.depth - b.depth || a.place - b.place)
  const folded = new Set<number>()
  let rows = 1
  for (const { place, children } of parents) {
    if (way.has(place) || rows < OPEN_ROWS) rows += children
    else folded.add(place)
  }
  return folded
}

/** What is shown of the spans. */
export interface ShownSpans {
  readonly folded: ReadonlySet<number>
  /** Spans whose name has these letters, and those above them. */
  readonly words?: string
  /** The critical path only. */
  readonly only?: ReadonlySet<number> | undefined
}

/** Places of the spans that have a row, in their order. A filter opens what is folded, since a match must be seen. */
export function visibleRows(spans: readonly TraceSpan[], { folded, words = '', only }: ShownSpans): readonly number[] {
  const wanted = words.trim().toLowerCase()
  if (wanted !== '') return matchingRows(spans, wanted)
  const rows: number[] = []
  let hiddenBelow = Number.POSITIVE_INFINITY
  for (const [place, { depth }] of spans.entries()) {
    if (depth > hiddenBelow) continue
    hiddenBelow = folded.has(place) ? depth : Number.POSITIVE_INFINITY
    if (only === undefined || only.has(place)) rows.push(place)
  }
  return rows
}

function matchingRows(spans: readonly TraceSpan[], wanted: string): readonly number[] {
  const kept = new Set<number>()
  for (const [place, { name, kind }] of spans.entries()) {
    if (!name.toLowerCase().includes(wanted) && kind !== wanted) continue
    for (let at = place; at >= 0 && !kept.has(at); at = spans[at]?.parent ?? -1) kept.add(at)
  }
  return [...kept].toSorted((a, b) => a - b)
}

/** A set with a member more or less. */
export function toggled<Member>(set: ReadonlySet<Member>, member: Member): ReadonlySet<Member> {
  const next = new Set(set)
  if (!next.delete(member)) next.add(member)
  return next
}
