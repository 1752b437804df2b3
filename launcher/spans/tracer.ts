import type { Logger } from '#core/log/logger.ts'
import { childOf, formatTraceparent, startTrace } from '#core/telemetry/tracing.ts'
import type { Trace } from '#core/telemetry/tracing.ts'

/** What a span may carry: ids, names and numbers, never content. */
export type Attributes = Readonly<Record<string, string | number | boolean>>

/** A span that has ended. Times are nanoseconds since the epoch. */
export interface EndedSpan extends Trace {
  readonly name: string
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

/** Makes the launcher's spans: one per operation on each port, under the run's. */
export interface Tracer {
  start(name: string, parent: Trace | undefined, attributes?: Attributes): Span
}

/** A tracer that writes each ended span as one log line and hands sampled ones to an exporter. */
export function createTracer(log: Logger, exporter?: { add(span: EndedSpan): void }): Tracer {
  return {
    start(name, parent, attributes = {}) {
      const context = parent === undefined ? startTrace() : childOf(parent)
      const startedAt = now()
      let ended = false
      return {
        ...context,
        traceparent: formatTraceparent(context),
        end(status, more = {}) {
          if (ended) return
          ended = true
          const span = { ...context, name, parentSpanId: parent?.spanId, startedAt, endedAt: now(), status }
          record(log, { ...span, attributes: { ...attributes, ...more } })
          if (context.sampled) exporter?.add({ ...span, attributes: { ...attributes, ...more } })
        },
      }
    },
  }
}

function record(log: Logger, span: EndedSpan): void {
  const durationMs = Number((span.endedAt - span.startedAt) / 1000n) / 1000
  const { traceId, spanId, parentSpanId, name, status, attributes } = span
  log.info({ span: { name, traceId, spanId, parentSpanId, durationMs, status, ...attributes } }, 'span')
}

// Wall clock for the start, monotonic for what comes after, so that a clock step gives no negative duration.
function now(): bigint {
  return BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000)) * 1000n
}
