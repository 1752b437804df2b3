import { childOf, formatTraceparent, startTrace } from './traceparent.ts'
import type { Trace } from './traceparent.ts'
import type { ReadContent } from './span-content.ts'

/** Attributes of a span: ids, names and numbers, never content. */
export type Attributes = Readonly<Record<string, string | number | boolean>>

/** The side of an operation that a span describes (OpenTelemetry, SpanKind). */
export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer'

/** A finished span. Times are nanoseconds since the epoch. */
export interface EndedSpan extends Trace {
  readonly name: string
  readonly kind: SpanKind
  readonly parentSpanId: string | undefined
  readonly startedAt: bigint
  readonly endedAt: bigint
  readonly status: 'ok' | 'error'
  readonly attributes: Attributes
  /** Content of the operation; only launchers read it, within the trace policy of their agent. */
  readonly content?: ReadContent
}

/** A span in progress; `end` must be called exactly once. */
export interface Span extends Trace {
  readonly traceparent: string
  end(status: 'ok' | 'error', attributes?: Attributes, content?: ReadContent): void
}

/** Name of a span, with its kind unless it is `internal`. */
export type SpanName = string | { readonly name: string; readonly kind: SpanKind }

/** Creates spans: one per operation, as children or in new traces. */
export interface Tracer {
  start(name: SpanName, parent: Trace | undefined, attributes?: Attributes): Span
  /** Records a span that was measured elsewhere. */
  record(span: EndedSpan): void
}

/** Whether a span of a trace is exported. */
export type Sample = (traceId: string, parent: Trace | undefined) => boolean

const asParent: Sample = (_traceId, parent) => parent?.sampled ?? true

/** Creates a tracer that passes every finished span to `record`; `sampled` says whether the span is to be exported. */
export function createTracer(record: (span: EndedSpan) => void, sample: Sample = asParent): Tracer {
  const positionOf = (parent: Trace | undefined): Trace => {
    const trace = parent === undefined ? startTrace() : childOf(parent)
    return { ...trace, sampled: sample(trace.traceId, parent) }
  }
  return {
    start(given, parent, attributes = {}) {
      const { name, kind } = typeof given === 'string' ? { name: given, kind: 'internal' as const } : given
      const context = positionOf(parent)
      const startedAt = performance.now()
      let ended = false
      return {
        ...context,
        traceparent: formatTraceparent(context),
        end(status, more = {}, content) {
          if (ended) return
          ended = true
          const times = { startedAt: toUnixNano(startedAt), endedAt: toUnixNano(performance.now()) }
          const all = { ...attributes, ...more }
          const about = { ...context, name, kind, parentSpanId: parent?.spanId, ...times, status, attributes: all }
          record(content === undefined ? about : { ...about, content })
        },
      }
    },
    record: (span) => record({ ...span, sampled: span.sampled && sample(span.traceId, span) }),
  }
}

/** Converts a `performance.now()` to nanoseconds since the epoch. A step of the wall clock cannot cause a negative duration. */
export function toUnixNano(monotonicMs: number): bigint {
  return BigInt(Math.round((performance.timeOrigin + monotonicMs) * 1000)) * 1000n
}
