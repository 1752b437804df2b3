import type { OtlpAttributes, OriginatedSpan } from '#core/otlp/span.ts'
import type { SpanKind } from '#core/telemetry/tracer.ts'
import { splitContent } from './split-content.ts'
import { toContents } from './stored-content.ts'
import type { ContentChunk } from './stored-content.ts'
import { summarizeSpans } from './summarize-spans.ts'
import type { SpanSummary } from './summarize-spans.ts'

/** A span as stored: times are decimal nanoseconds since the epoch, empty fields are absent. */
export interface StoredSpan {
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: SpanKind
  readonly start: string
  readonly end: string
  readonly status: 'unset' | 'ok' | 'error'
  readonly message?: string
  readonly attributes: OtlpAttributes
  readonly events?: readonly { readonly name: string; readonly at: string; readonly attributes: OtlpAttributes }[]
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly dropped?: number
  /** Instrumentation scope. */
  readonly scope?: string
  /** `service.name` of the process. */
  readonly service?: string
}

/** The agent that sends spans. */
export interface SpanOwner {
  readonly namespace: string
  readonly uid: string
  readonly name: string
}

/** Spans of one trace, as JSON. */
export interface TraceChunk {
  readonly traceId: string
  readonly spans: number
  readonly content: string
  readonly summary: SpanSummary
  readonly contents: readonly ContentChunk[]
}

/** Groups spans by trace, sorted by trace id: the order in which concurrent requests lock traces. */
export function toChunks(received: readonly OriginatedSpan[]): readonly TraceChunk[] {
  const byTrace = Map.groupBy(received, ({ span }) => span.traceId)
  return [...byTrace]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([traceId, spans]) => ({
      traceId,
      spans: spans.length,
      content: JSON.stringify(spans.map(toStored)),
      summary: summarizeSpans(spans),
      contents: toContents(spans),
    }))
}

function toStored({ origin, span }: OriginatedSpan): StoredSpan {
  const { parentSpanId, statusMessage: message, links, dropped } = span
  const { attributes, events } = splitContent(span.attributes, span.events)
  const service = origin.resource['service.name']
  return {
    spanId: span.spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name: span.name,
    kind: span.kind,
    start: String(span.startedAt),
    end: String(span.endedAt),
    status: span.status,
    ...(message === undefined ? {} : { message }),
    attributes,
    ...(events.length === 0 ? {} : { events: events.map((event) => ({ ...event, at: String(event.at) })) }),
    ...(links.length === 0 ? {} : { links }),
    ...(dropped === 0 ? {} : { dropped }),
    ...(origin.scope === '' ? {} : { scope: origin.scope }),
    ...(typeof service === 'string' ? { service } : {}),
  }
}
