import type { Agent } from 'undici'
import type { CoreSettings } from '#core/config/core-settings.ts'
import type { Role } from '#core/config/profile.ts'
import type { Logger } from '#core/log/logger.ts'
import { traceMetrics } from '#core/telemetry/trace-metrics.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import { createOtlpExporter } from '#core/telemetry/otlp.ts'
import { createTracer } from '#core/telemetry/tracer.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'

/** Input of the trace export. */
export interface TracingNeeds {
  readonly settings: Pick<CoreSettings, 'telemetry' | 'install'>
  readonly roles: readonly Role[]
  readonly version: string
  readonly log: Logger
  readonly metrics: Metrics
}

/** Tracer of a process, undefined without a collector. `close` sends queued spans. */
export interface Tracing {
  readonly tracer: Tracer | undefined
  close(): Promise<void>
}

/** Starts the export of traces if `OTEL_EXPORTER_OTLP_ENDPOINT` is set. */
export function openTracing({ settings, roles, version, log, metrics }: TracingNeeds): Tracing {
  const { otlpEndpoint } = settings.telemetry
  if (otlpEndpoint === undefined) return { tracer: undefined, close: async () => undefined }
  const exported = metrics.counter(traceMetrics.exported)
  const dropped = metrics.counter(traceMetrics.dropped)
  const pool = createCollectorPool()
  const [role] = roles
  const exporter = createOtlpExporter({
    endpoint: otlpEndpoint.replace(/(?<!\/)\/+$/, ''),
    resource: {
      'service.name': roles.length === 1 && role !== undefined ? `mesh-${role}` : 'mesh',
      'service.version': version,
      'service.namespace': settings.install,
    },
    scope: 'mesh',
    dispatcher: pool.open,
    log,
    count: { exported: (spans) => exported.inc({}, spans), dropped: (spans) => dropped.inc({}, spans) },
  })
  const tracer = createTracer((span) => {
    if (span.sampled) exporter.add(span)
  })
  return { tracer, close: () => exporter.close().finally(pool.close) }
}

// A separate pool, so that a hanging collector occupies no other connection.
function createCollectorPool() {
  let opened: Promise<Agent> | undefined
  return {
    open: () => (opened ??= import('undici').then((undici) => new undici.Agent({ connections: 1, allowH2: false }))),
    close: async (): Promise<void> => {
      await (await opened)?.destroy()
    },
  }
}
