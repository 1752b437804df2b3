import type { Logger } from '#core/log/logger.ts'
import { createTracer } from '#core/telemetry/tracer.ts'
import type { EndedSpan, Tracer } from '#core/telemetry/tracer.ts'

/** Creates the launcher's tracer: logs each ended span and exports sampled ones. */
export function createLoggedTracer(log: Logger, add?: (span: EndedSpan) => void): Tracer {
  return createTracer((span) => {
    record(log, span)
    if (span.sampled) add?.(span)
  })
}

function record(log: Logger, span: EndedSpan): void {
  const durationMs = Number((span.endedAt - span.startedAt) / 1000n) / 1000
  const { traceId, spanId, parentSpanId, name, status, attributes } = span
  log.info({ span: { name, traceId, spanId, parentSpanId, durationMs, status, ...attributes } }, 'span')
}
