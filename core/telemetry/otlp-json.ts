import type { Attributes, EndedSpan, SpanKind } from './tracer.ts'

/** Process and instrumentation scope of an export. */
export interface SpanSource {
  readonly resource: Attributes
  readonly scope: string
}

const kinds: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 }

/** Spans as an ExportTraceServiceRequest (opentelemetry-proto, JSON encoding: ids in hex, 64-bit numbers as text). */
export function toExport({ resource, scope }: SpanSource, batch: readonly EndedSpan[]): object {
  const spans = batch.map(toSpan)
  return {
    resourceSpans: [
      { resource: { attributes: toAttributes(resource) }, scopeSpans: [{ scope: { name: scope }, spans }] },
    ],
  }
}

function toSpan(span: EndedSpan): object {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId === undefined ? {} : { parentSpanId: span.parentSpanId }),
    name: span.name,
    kind: kinds[span.kind],
    startTimeUnixNano: String(span.startedAt),
    endTimeUnixNano: String(span.endedAt),
    attributes: toAttributes(span.attributes),
    status: { code: span.status === 'ok' ? 1 : 2 },
  }
}

/** Attributes in OTLP form. */
export function toAttributes(attributes: Attributes): readonly object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: toValue(value) }))
}

function toValue(value: string | number | boolean): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
