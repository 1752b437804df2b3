import type { TraceSpan } from './flat-tree.ts'

/** What a key does in a waterfall. */
export type SpanAction =
  | { readonly kind: 'select'; readonly place: number }
  | { readonly kind: 'fold'; readonly place: number }
  | { readonly kind: 'openAll' }
  | { readonly kind: 'fit' }
  | { readonly kind: 'zoom'; readonly place: number }

/** The state that keys act on. */
export interface SpanCursor {
  readonly spans: readonly TraceSpan[]
  /** Places of the spans with a row. */
  readonly rows: readonly number[]
  readonly folded: ReadonlySet<number>
  readonly selected: number
}

/** The action of a key; undefined for another key. */
export function actionOfKey(key: string, cursor: SpanCursor): SpanAction | undefined {
  const { spans, rows, folded, selected } = cursor
  const at = rows.indexOf(selected)
  const row = (index: number): SpanAction | undefined => select(rows[Math.max(0, Math.min(rows.length - 1, index))])
  const span = spans[selected]
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return row(at + 1)
    case 'ArrowUp':
    case 'k':
      return row(at - 1)
    case 'Home':
      return row(0)
    case 'End':
      return row(rows.length - 1)
    case 'PageDown':
      return row(at + 10)
    case 'PageUp':
      return row(at - 10)
    case 'ArrowLeft':
      if (span !== undefined && span.children > 0 && !folded.has(selected)) return { kind: 'fold', place: selected }
      return span === undefined || span.parent < 0 ? undefined : select(span.parent)
    case 'ArrowRight':
      if (folded.has(selected)) return { kind: 'fold', place: selected }
      return span !== undefined && span.children > 0 ? row(at + 1) : undefined
    case 'e':
      return select(nextError(spans, selected))
    case 'z':
      return { kind: 'zoom', place: selected }
    case '*':
      return { kind: 'openAll' }
    case '0':
      return { kind: 'fit' }
    default:
      return undefined
  }
}

/** The next span with an error of its own after one, from the start again after the last; undefined without errors. */
export function nextError(spans: readonly TraceSpan[], after: number): number | undefined {
  const next = spans.findIndex((span, place) => place > after && failedItself(span))
  const found = next === -1 ? spans.findIndex(failedItself) : next
  return found === -1 ? undefined : found
}

/** The span that a run opens on: its last failure; else its root. */
export function selectAtFirst(spans: readonly TraceSpan[]): number {
  return Math.max(0, spans.findLastIndex(failedItself))
}

// A run and a step fail by what is in them.
function failedItself({ hasError, kind }: TraceSpan): boolean {
  return hasError && kind !== 'run' && kind !== 'step'
}

function select(place: number | undefined): SpanAction | undefined {
  return place === undefined ? undefined : { kind: 'select', place }
}
