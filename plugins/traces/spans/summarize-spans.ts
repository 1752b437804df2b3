import { genAi, genAiOperations } from '#core/otlp/gen-ai.ts'
import type { OriginatedSpan, OtlpSpan } from '#core/otlp/span.ts'

/** What the spans of one trace in one request add to its summary. Times are decimal nanoseconds since the epoch. */
export interface SpanSummary {
  readonly span_id: string
  readonly name: string
  readonly kind: OtlpSpan['kind']
  readonly service: string | null
  readonly has_parent: boolean
  readonly root_nanos: string
  readonly status: OtlpSpan['status']
  readonly outcome_nanos: string
  readonly started_nanos: string
  readonly ended_nanos: string
  readonly spans: number
  readonly errors: number
}

/**
 * Folds the spans of one trace, of which there is at least one. The root is the earliest span, one without a parent before others: the parent of a
 * run is a span of the platform. The status is that of the last outer span: a run may have several segments, of which the last one has its outcome.
 * Pure.
 */
export function summarizeSpans(received: readonly OriginatedSpan[]): SpanSummary {
  const [first] = received.toSorted((a, b) => compareRoots(a.span, b.span))
  if (first === undefined) throw new TypeError('a summary needs a span')
  const { origin, span: root } = first
  const spans = received.map(({ span }) => span)
  const outcome = spans.filter(isOuter).reduce<OtlpSpan | undefined>(laterEnd, undefined)
  const service = origin.resource['service.name']
  return {
    span_id: root.spanId,
    name: root.name,
    kind: root.kind,
    service: typeof service === 'string' ? service : null,
    has_parent: root.parentSpanId !== undefined,
    root_nanos: String(root.startedAt),
    status: outcome?.status ?? 'unset',
    outcome_nanos: String(outcome?.endedAt ?? 0n),
    started_nanos: String(
      spans.reduce((least, { startedAt }) => (startedAt < least ? startedAt : least), root.startedAt),
    ),
    ended_nanos: String(spans.reduce((most, { endedAt }) => (endedAt > most ? endedAt : most), root.endedAt)),
    spans: spans.length,
    errors: spans.filter(({ status }) => status === 'error').length,
  }
}

function compareRoots(a: OtlpSpan, b: OtlpSpan): number {
  const parents = Number(a.parentSpanId !== undefined) - Number(b.parentSpanId !== undefined)
  return parents === 0 ? Number(a.startedAt - b.startedAt) : parents
}

function isOuter({ parentSpanId, attributes }: OtlpSpan): boolean {
  return parentSpanId === undefined || attributes[genAi.operation] === genAiOperations.runAgent
}

function laterEnd(last: OtlpSpan | undefined, span: OtlpSpan): OtlpSpan {
  return last === undefined || span.endedAt >= last.endedAt ? span : last
}
