import type { TraceSpanNode } from '#schemas/api/traces.ts'
import type { StoredSpan } from './stored-span.ts'
import type { SelectedChunk } from './store/tables.ts'

interface OpenSpan extends Omit<TraceSpanNode, 'children'> {
  readonly children: OpenSpan[]
}

/** Nesting of an answer; spans below it are listed at this depth. */
const DEEPEST = 64

/**
 * Builds the tree of a trace: each span once, below its parent, in the order of their start. A repeated span counts as stored last. Spans
 * whose parent is missing are roots, as is the earliest of spans that are each other's parents.
 */
export function buildTrace(chunks: readonly Pick<SelectedChunk, 'content' | 'namespace' | 'agent_name'>[]): {
  readonly spans: number
  readonly roots: readonly TraceSpanNode[]
} {
  const all = new Map<string, { readonly span: OpenSpan; readonly start: bigint }>()
  for (const { content, namespace, agent_name: name } of chunks)
    for (const stored of JSON.parse(content) as readonly StoredSpan[])
      all.set(stored.spanId, { span: toSpan(stored, { namespace, name }), start: BigInt(stored.start) })
  const ordered = [...all.values()].sort((a, b) => Number(a.start - b.start)).map(({ span }) => span)
  const below = Map.groupBy(ordered, ({ parentSpanId }) => parentSpanId ?? '')
  const isRoot = ({ parentSpanId }: OpenSpan): boolean => parentSpanId === null || !all.has(parentSpanId)
  const roots: OpenSpan[] = []
  const seen = new Set<string>()
  // Of spans in a circle none is a root: the second pass takes the first that no root reaches.
  for (const span of [...ordered.filter(isRoot), ...ordered])
    if (!seen.has(span.spanId)) place(span, { below, seen, roots })
  return { spans: all.size, roots: roots }
}

interface Placing {
  readonly below: ReadonlyMap<string, readonly OpenSpan[]>
  readonly seen: Set<string>
  readonly roots: OpenSpan[]
}

// Without recursion: a trace may be a chain of thousands of spans.
function place(root: OpenSpan, { below, seen, roots }: Placing): void {
  const waiting = [{ span: root, into: roots, depth: 0 }]
  seen.add(root.spanId)
  for (let next = 0; next < waiting.length; next++) {
    const { span, into, depth } = waiting[next] ?? { span: root, into: roots, depth: 0 }
    into.push(span)
    for (const child of below.get(span.spanId) ?? []) {
      if (seen.has(child.spanId)) continue
      seen.add(child.spanId)
      waiting.push({ span: child, into: depth < DEEPEST ? span.children : into, depth: Math.min(depth + 1, DEEPEST) })
    }
  }
}

function toSpan(stored: StoredSpan, agent: TraceSpanNode['agent']): OpenSpan {
  const { start, end, events = [], links = [] } = stored
  return {
    spanId: stored.spanId,
    parentSpanId: stored.parentSpanId ?? null,
    agent,
    service: stored.service ?? null,
    scope: stored.scope ?? null,
    name: stored.name,
    kind: stored.kind,
    startedAt: toTime(start),
    durationMs: Number(BigInt(end) - BigInt(start)) / 1e6,
    status: stored.status,
    statusMessage: stored.message ?? null,
    attributes: { ...stored.attributes },
    events: events.map(({ name, at, attributes }) => ({ name, at: toTime(at), attributes: { ...attributes } })),
    links: [...links],
    dropped: stored.dropped ?? 0,
    children: [],
  }
}

const LATEST_MS = 253_402_300_799_999n

// An event may have any time.
function toTime(nanos: string): string {
  const milliseconds = BigInt(nanos) / 1_000_000n
  return new Date(Number(milliseconds > LATEST_MS ? LATEST_MS : milliseconds)).toISOString()
}
