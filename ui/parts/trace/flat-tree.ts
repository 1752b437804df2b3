/** What a span is; its shape says the same as its colour. */
export type SpanKind = 'run' | 'step' | 'message' | 'model' | 'tool' | 'delegate' | 'interrupt' | 'guardrail' | 'span'

/** A node of the API's tree, as far as it is drawn. */
export interface TreeSpan {
  readonly spanId: string
  readonly kind: SpanKind
  readonly name: string
  readonly startedAt: string
  readonly durationMs: number | null
  readonly status: string
  readonly error?: { readonly code: string; readonly message: string } | null
  readonly cost?: { readonly amount: string; readonly currency: string } | null
  readonly children: readonly TreeSpan[]
}

/** A span of the flat array: depth first, so that what is below a span follows it. */
export interface TraceSpan {
  readonly id: string
  /** Place of the parent in the array; -1 for the root. */
  readonly parent: number
  readonly depth: number
  /** Number of its direct children. */
  readonly children: number
  readonly kind: SpanKind
  readonly name: string
  /** Milliseconds since the start of the root. */
  readonly start: number
  /** Undefined while it is open. */
  readonly duration: number | undefined
  readonly hasError: boolean
  readonly cost: { readonly amount: string; readonly currency: string } | undefined
}

/** The tree as one array. Without recursion: a run may be as deep as it is long. */
export function flattenTree(root: TreeSpan): readonly TraceSpan[] {
  const began = Date.parse(root.startedAt)
  const spans: TraceSpan[] = []
  const open: { readonly node: TreeSpan; readonly parent: number; readonly depth: number }[] = [
    { node: root, parent: -1, depth: 0 },
  ]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, parent, depth } = next
    const place = spans.push(toSpan(node, parent, depth, began)) - 1
    for (const child of node.children.toReversed()) open.push({ node: child, parent: place, depth: depth + 1 })
  }
  return spans
}

function toSpan(node: TreeSpan, parent: number, depth: number, began: number): TraceSpan {
  const start = Date.parse(node.startedAt) - began
  return {
    id: node.spanId,
    parent,
    depth,
    children: node.children.length,
    kind: node.kind,
    name: node.name,
    // Clocks of two machines differ by some milliseconds.
    start: Number.isNaN(start) ? 0 : Math.max(0, start),
    duration: node.durationMs ?? undefined,
    hasError: node.status === 'error',
    cost: node.cost ?? undefined,
  }
}

/** The end of a span; an open one ends where the trace does now. */
export function endOf({ start, duration }: TraceSpan, total: number): number {
  return duration === undefined ? Math.max(start, total) : start + duration
}

/** The length of a trace: to the end of its last span, and for an open one at least to now. */
export function totalOf(spans: readonly TraceSpan[], elapsed = 0): number {
  return spans.reduce((most, { start, duration = 0 }) => Math.max(most, start + duration), Math.max(1, elapsed))
}

/** The places of the spans above one, the root last. */
export function wayTo(spans: readonly TraceSpan[], place: number): readonly number[] {
  const way: number[] = []
  for (let at = spans[place]?.parent ?? -1; at >= 0; at = spans[at]?.parent ?? -1) way.push(at)
  return way
}
