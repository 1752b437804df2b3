import { childOf, formatTraceparent, startTrace } from './traceparent.ts'
import type { Trace } from './traceparent.ts'

/** What a span may carry: ids, names and numbers, never content. */
export type Attributes = Readonly<Record<string, string | number | boolean>>

/** The side of an operation that a span describes (OpenTelemetry, SpanKind). */
export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer'

/** A span that has ended. Times are nanoseconds since the epoch. */
export interface EndedSpan extends Trace {
  readonly name: string
  readonly kind: SpanKind
  readonly parentSpanId: string | undefined
  readonly startedAt: bigint
  readonly endedAt: bigint
  readonly status: 'ok' | 'error'
  readonly attributes: Attributes
}

/** One operation; end it exactly once. */
export interface Span extends Trace {
  readonly traceparent: string
  end(status: 'ok' | 'error', attributes?: Attributes): void
}

/** A span's name, with its kind where it is not `internal`. */
export type SpanName = string | { readonly name: string; readonly kind: SpanKind }

/** Makes spans: one per operation, under its parent's or in a trace of its own. */
export interface Tracer {
  start(name: SpanName, parent: Trace | undefined, attributes?: Attributes): Span
  /** Takes a span that was measured elsewhere. */
  record(span: EndedSpan): void
}

/** A tracer that hands every ended span to `record`. */
export function createTracer(record: (span: EndedSpan) => void): Tracer {
  return {
    start(given, parent, attributes = {}) {
      const { name, kind } = typeof given === 'string' ? { name: given, kind: 'internal' as const } : given
      const context = parent === undefined ? startTrace() : childOf(parent)
      const startedAt = performance.now()
      let ended = false
      return {
        ...context,
        traceparent: formatTraceparent(context),
        end(status, more = {}) {
          if (ended) return
          ended = true
          const times = { startedAt: toUnixNano(startedAt), endedAt: toUnixNano(performance.now()) }
          const all = { ...attributes, ...more }
          record({ ...context, name, kind, parentSpanId: parent?.spanId, ...times, status, attributes: all })
        },
      }
    },
    record,
  }
}

/** Nanoseconds since the epoch of a `performance.now()`: a step of the wall clock gives no negative duration. */
export function toUnixNano(monotonicMs: number): bigint {
  return BigInt(Math.round((performance.timeOrigin + monotonicMs) * 1000)) * 1000n
}
