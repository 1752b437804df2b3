import type { SpanKind } from '#core/telemetry/tracer.ts'
import { toStorable } from '#schemas/values/storable-text.ts'
import { spanBounds } from './span.ts'
import type { OtlpAttributes, OtlpSpan, OtlpValue, OriginatedSpan, ReceivedSpans, SpanOrigin } from './span.ts'

/** Attributes as read, in order; a repeated key counts once. */
export type RawAttributes = readonly (readonly [key: string, value: OtlpValue])[]

/** A span as one of the encodings carries it, before its ids and times are checked. */
export interface RawSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly name: string
  readonly kind: number
  readonly startedAt: bigint
  readonly endedAt: bigint
  readonly statusCode: number
  readonly statusMessage: string
  readonly attributes: RawAttributes
  readonly events: readonly { readonly name: string; readonly at: bigint; readonly attributes: RawAttributes }[]
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly dropped: number
}

const kinds: readonly SpanKind[] = ['internal', 'internal', 'server', 'client', 'producer', 'consumer']
const statuses = ['unset', 'ok', 'error'] as const
const traceIdPattern = /^(?!0{32}$)[0-9a-f]{32}$/
const spanIdPattern = /^(?!0{16}$)[0-9a-f]{16}$/

const NANOS_PER_MS = 1_000_000n
const HOUR_MS = 3_600_000
// Clocks of pods differ. A span that ends later would stay beyond its retention.
const MAX_AHEAD_MS = 10 * 60_000
const MAX_LATE_MS = 24 * HOUR_MS
const LONGEST_MS = 90 * 24 * HOUR_MS

/** Collects the spans of a request; `now` is the time of the request in milliseconds. */
export function createSpanCollector(now: number) {
  const spans: OriginatedSpan[] = []
  let rejected = 0
  let reason: string | undefined
  return {
    add(origin: SpanOrigin, raw: RawSpan): void {
      const problem = problemOf(raw, now)
      if (problem === undefined) {
        spans.push({ origin, span: toSpan(raw) })
        return
      }
      rejected++
      reason ??= problem
    },
    result: (): ReceivedSpans => ({ spans, rejected, reason }),
  }
}

function problemOf({ traceId, spanId, startedAt, endedAt }: RawSpan, now: number): string | undefined {
  if (!traceIdPattern.test(traceId)) return 'traceId: must be 16 bytes that are not all zero'
  if (!spanIdPattern.test(spanId)) return 'spanId: must be 8 bytes that are not all zero'
  const ended = endedAt < startedAt ? startedAt : endedAt
  if (ended > BigInt(now + MAX_AHEAD_MS) * NANOS_PER_MS)
    return 'endTimeUnixNano: must not be more than 10 minutes ahead'
  if (ended < BigInt(now - MAX_LATE_MS) * NANOS_PER_MS) return 'endTimeUnixNano: must not be more than a day ago'
  if (ended - startedAt > BigInt(LONGEST_MS) * NANOS_PER_MS)
    return 'startTimeUnixNano: must not be more than 90 days before the end'
  return undefined
}

function toSpan(raw: RawSpan): OtlpSpan {
  return {
    traceId: raw.traceId,
    spanId: raw.spanId,
    parentSpanId:
      spanIdPattern.test(raw.parentSpanId) && raw.parentSpanId !== raw.spanId ? raw.parentSpanId : undefined,
    name: boundText(raw.name, spanBounds.name),
    kind: kinds[raw.kind] ?? 'internal',
    startedAt: raw.startedAt,
    // Clocks of one process step back, too.
    endedAt: raw.endedAt < raw.startedAt ? raw.startedAt : raw.endedAt,
    status: statuses[raw.statusCode] ?? 'unset',
    statusMessage: raw.statusMessage === '' ? undefined : boundText(raw.statusMessage, spanBounds.text),
    attributes: toAttributeMap(raw.attributes),
    events: raw.events.map(({ name, at, attributes }) => ({
      name: boundText(name, spanBounds.name),
      at,
      attributes: toAttributeMap(attributes),
    })),
    links: raw.links.filter(({ traceId, spanId }) => traceIdPattern.test(traceId) && spanIdPattern.test(spanId)),
    // OTLP encodes the count in 32 bits.
    dropped: Math.min(raw.dropped, 2 ** 32 - 1),
  }
}

/** Attributes as an object. `fromEntries` defines `__proto__` as its own property. */
export function toAttributeMap(attributes: RawAttributes): OtlpAttributes {
  return Object.fromEntries(attributes)
}

/** A string that can be stored, of at most `most` UTF-16 units. */
export function boundText(text: string, most: number): string {
  return toStorable(text.length > most ? text.slice(0, most) : text)
}
