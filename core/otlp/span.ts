import type { SpanKind } from '#core/telemetry/tracer.ts'

/** A value of an attribute. 64-bit integers outside the safe range are strings, bytes are base64. */
export type OtlpValue = string | number | boolean | null | readonly OtlpValue[] | { readonly [key: string]: OtlpValue }

/** Attributes by key. */
export type OtlpAttributes = Readonly<Record<string, OtlpValue>>

/** A point in time within a span. */
export interface SpanEvent {
  readonly name: string
  /** Nanoseconds since the epoch. */
  readonly at: bigint
  readonly attributes: OtlpAttributes
}

/** A span of another trace or of the same one that is related. */
export interface SpanLink {
  readonly traceId: string
  readonly spanId: string
}

/** A finished span as OTLP carries it, within `spanBounds`. Times are nanoseconds since the epoch. */
export interface OtlpSpan {
  readonly traceId: string // 32 lowercase hex digits
  readonly spanId: string // 16 lowercase hex digits
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly kind: SpanKind
  readonly startedAt: bigint
  readonly endedAt: bigint
  readonly status: 'unset' | 'ok' | 'error'
  readonly statusMessage: string | undefined
  readonly attributes: OtlpAttributes
  readonly events: readonly SpanEvent[]
  readonly links: readonly SpanLink[]
  /** Attributes, events and links that were left out, by the sender or by the bounds. */
  readonly dropped: number
}

/** Process and instrumentation scope of a span. */
export interface SpanOrigin {
  readonly resource: OtlpAttributes
  readonly scope: string
}

/** A span with its origin; spans of one origin share the object. */
export interface OriginatedSpan {
  readonly origin: SpanOrigin
  readonly span: OtlpSpan
}

/** Spans of one export request. */
export interface ReceivedSpans {
  readonly spans: readonly OriginatedSpan[]
  /** Spans that were refused, and why the first one was. */
  readonly rejected: number
  readonly reason: string | undefined
}

/** Bounds of one span; what exceeds them is cut or left out and counted. */
export const spanBounds = {
  /** Same as the default of the SDKs. */
  attributes: 128,
  events: 128,
  links: 128,
  eventAttributes: 32,
  /** UTF-16 units. */
  name: 256,
  key: 256,
  text: 16_384,
  /** Nesting of lists and maps in one value. */
  depth: 4,
  /** Members of one list or map. */
  members: 64,
} as const

/** Thrown for a request that is not an export request. The message names the field. */
export class OtlpMalformed extends Error {
  override readonly name = 'OtlpMalformed'
}
