import { isObject } from '#core/json/is-object.ts'
import type { EndedSpan, SpanKind } from '#core/telemetry/tracer.ts'
import { boundText } from './raw-span.ts'
import { spanBounds } from './span.ts'
import type { OtlpAttributes, OtlpSpan, OtlpValue, SpanOrigin } from './span.ts'

/** A span in the JSON encoding of OTLP, with the JSON of its resource and scope, which many spans share. */
export interface EncodedSpan {
  readonly resource: string
  readonly scope: string
  readonly span: string
}

const kinds: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 }
const statuses = { unset: 0, ok: 1, error: 2 } as const

/** Creates an encoder of spans; the JSON of an origin is made once for spans that share it. */
export function createSpanEncoder(): (origin: SpanOrigin, span: OtlpSpan) => EncodedSpan {
  const origins = new WeakMap<SpanOrigin, Pick<EncodedSpan, 'resource' | 'scope'>>()
  return (origin, span) => {
    let head = origins.get(origin)
    if (head === undefined) {
      const resource = JSON.stringify({ attributes: toKeyValues(origin.resource) })
      head = { resource, scope: JSON.stringify({ name: origin.scope }) }
      origins.set(origin, head)
    }
    return { ...head, span: JSON.stringify(toJson(span)) }
  }
}

/** An ExportTraceServiceRequest of encoded spans, grouped by resource and scope. */
export function joinSpans(batch: readonly EncodedSpan[]): string {
  const resources = new Map<string, Map<string, string[]>>()
  for (const { resource, scope, span } of batch) {
    const scopes = resources.get(resource) ?? new Map<string, string[]>()
    resources.set(resource, scopes)
    const spans = scopes.get(scope)
    if (spans === undefined) scopes.set(scope, [span])
    else spans.push(span)
  }
  const groups = [...resources].map(([resource, scopes]) => {
    const scoped = [...scopes].map(([scope, spans]) => `{"scope":${scope},"spans":[${spans.join(',')}]}`)
    return `{"resource":${resource},"scopeSpans":[${scoped.join(',')}]}`
  })
  return `{"resourceSpans":[${groups.join(',')}]}`
}

/** A span of this process as one of OTLP. A name may be one that a caller or a provider chose. */
export function fromEnded(span: EndedSpan): OtlpSpan {
  const attributes = Object.fromEntries(
    Object.entries(span.attributes).map(([key, value]) => [
      key,
      typeof value === 'string' ? boundText(value, spanBounds.text) : value,
    ]),
  )
  const name = boundText(span.name, spanBounds.name)
  const { traceId, spanId, parentSpanId, kind, startedAt, endedAt, status } = span
  const about = { traceId, spanId, parentSpanId, kind, startedAt, endedAt, status }
  return { ...about, name, attributes, statusMessage: undefined, events: [], links: [], dropped: 0 }
}

function toJson(span: OtlpSpan): object {
  const { parentSpanId, statusMessage: message, events, links, dropped } = span
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name: span.name,
    kind: kinds[span.kind],
    startTimeUnixNano: String(span.startedAt),
    endTimeUnixNano: String(span.endedAt),
    attributes: toKeyValues(span.attributes),
    ...(events.length === 0
      ? {}
      : {
          events: events.map(({ name, at, attributes }) => ({
            name,
            timeUnixNano: String(at),
            attributes: toKeyValues(attributes),
          })),
        }),
    ...(links.length === 0 ? {} : { links }),
    ...(dropped === 0 ? {} : { droppedAttributesCount: dropped }),
    status: { code: statuses[span.status], ...(message === undefined ? {} : { message }) },
  }
}

function toKeyValues(attributes: OtlpAttributes): readonly object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: toAnyValue(value) }))
}

function toAnyValue(value: OtlpValue): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number') return toNumber(value)
  if (value === null) return {}
  if (isObject(value)) return { kvlistValue: { values: toKeyValues(value as OtlpAttributes) } }
  return { arrayValue: { values: (value as readonly OtlpValue[]).map(toAnyValue) } }
}

// JSON has no infinity: OTLP writes it as a string.
function toNumber(value: number): object {
  if (Number.isSafeInteger(value)) return { intValue: String(value) }
  return { doubleValue: Number.isFinite(value) ? value : String(value) }
}
