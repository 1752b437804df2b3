import type { OtlpAttributes } from '#core/otlp/span.ts'
import type { SpanContentView } from '#schemas/api/span-content.ts'
import type { TraceSpanNode } from '#schemas/api/traces.ts'
import { splitContent } from './split-content.ts'
import type { StoredSpan } from './stored-span.ts'
import type { SelectedChunk } from '../contract/tables.ts'

interface OpenSpan extends Omit<TraceSpanNode, 'children'> {
  readonly children: OpenSpan[]
}

/** A span whose content is looked up. */
export interface ContentOf {
  readonly agentUid: string
  readonly spanId: string
  readonly namespace: string
  /** Content that a former version stored with the span. */
  readonly own?: OtlpAttributes | undefined
}

/** Content of a span as the caller may see it; null without content. */
export type FindContent = (span: ContentOf) => SpanContentView | null

/** Maximum nesting of a response; deeper spans are listed at this depth. */
const DEEPEST = 64

/** A span to be placed in the tree. */
interface KnownSpan {
  /** Spans of two agents may have the same id: an agent knows its caller's span ids, and must not replace the spans. */
  readonly key: string
  readonly agentUid: string
  readonly span: OpenSpan
  readonly start: bigint
}

type StoredChunk = Pick<SelectedChunk, 'content' | 'namespace' | 'agent_name' | 'agent_uid'>

/**
 * Builds the tree of a trace: each span once, below its parent, in the order of their start. Of a repeated span, the last stored version counts.
 * Spans whose parent is missing are roots; so is the earliest span of a cycle.
 */
export function buildTrace(
  chunks: readonly StoredChunk[],
  contentOf: FindContent = () => null,
): {
  readonly spans: number
  readonly roots: readonly TraceSpanNode[]
} {
  const all = readSpans(chunks, contentOf)
  const firstOf = new Map<string, string>()
  for (const { key, span } of all.values()) if (!firstOf.has(span.spanId)) firstOf.set(span.spanId, key)
  const ordered = [...all.values()].sort((a, b) => Number(a.start - b.start))
  // The parent of the same agent, else the first stored span with the id: the span of a caller.
  const parentOf = ({ agentUid, span: { parentSpanId } }: KnownSpan): string | undefined => {
    if (parentSpanId === null) return undefined
    const own = keyOf(agentUid, parentSpanId)
    return all.has(own) ? own : firstOf.get(parentSpanId)
  }
  const below = Map.groupBy(ordered, parentOf)
  const roots: OpenSpan[] = []
  const seen = new Set<string>()
  // A cycle of spans has no root: the second pass takes the first span that no root reaches.
  for (const known of [...(below.get(undefined) ?? []), ...ordered])
    if (!seen.has(known.key)) place(known, { below, seen, roots })
  return { spans: all.size, roots }
}

function readSpans(chunks: readonly StoredChunk[], contentOf: FindContent): ReadonlyMap<string, KnownSpan> {
  const all = new Map<string, KnownSpan>()
  for (const { content, namespace, agent_name: name, agent_uid: agentUid } of chunks)
    for (const stored of JSON.parse(content) as readonly StoredSpan[]) {
      const key = keyOf(agentUid, stored.spanId)
      const { content: own, ...rest } = splitContent(stored.attributes, stored.events ?? [])
      const shown = contentOf({ agentUid, spanId: stored.spanId, namespace, own })
      const span = { ...toSpan({ ...stored, ...rest }, { namespace, name }), content: shown }
      all.set(key, { key, agentUid, span, start: BigInt(stored.start) })
    }
  return all
}

function keyOf(agentUid: string, spanId: string): string {
  return `${agentUid} ${spanId}`
}

interface Placing {
  readonly below: ReadonlyMap<string | undefined, readonly KnownSpan[]>
  readonly seen: Set<string>
  readonly roots: OpenSpan[]
}

// Iterative: a trace may be a chain of thousands of spans.
function place(root: KnownSpan, { below, seen, roots }: Placing): void {
  const waiting = [{ known: root, into: roots, depth: 0 }]
  seen.add(root.key)
  for (const { known, into, depth } of waiting) {
    const { span, key } = known
    into.push(span)
    for (const child of below.get(key) ?? []) {
      if (seen.has(child.key)) continue
      seen.add(child.key)
      const deeper = depth < DEEPEST
      waiting.push({ known: child, into: deeper ? span.children : into, depth: deeper ? depth + 1 : DEEPEST })
    }
  }
}

function toSpan(stored: StoredSpan, agent: TraceSpanNode['agent']): Omit<OpenSpan, 'content'> {
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

// Events may have arbitrary times.
function toTime(nanos: string): string {
  const milliseconds = BigInt(nanos) / 1_000_000n
  return new Date(Number(milliseconds > LATEST_MS ? LATEST_MS : milliseconds)).toISOString()
}
