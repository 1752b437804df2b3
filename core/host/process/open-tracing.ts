import type { CoreSettings } from '#core/config/core-settings.ts'
import { readTraceExport } from './otel-environment.ts'
import type { Role } from '#core/config/profile.ts'
import type { Logger } from '#core/log/logger.ts'
import { createSpanQueue } from '#core/telemetry/span-queue.ts'
import { traceMetrics } from '#core/telemetry/trace-metrics.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import { createTracer } from '#core/telemetry/tracer.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'

/** Input of the trace export. */
export interface TracingNeeds {
  readonly settings: Pick<CoreSettings, 'telemetry' | 'install'>
  readonly env: Readonly<Record<string, string | undefined>>
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

/**
 * Opens the export of traces when `OTEL_EXPORTER_OTLP_ENDPOINT` names a collector. The SDK of OpenTelemetry is loaded only then.
 * Throws a SettingsError for an invalid variable.
 */
export async function openTracing({ settings, env, roles, version, log, metrics }: TracingNeeds): Promise<Tracing> {
  const target = readTraceExport(env, settings.telemetry.otlpEndpoint)
  if (target === undefined) return { tracer: undefined, close: async () => undefined }
  const exported = metrics.counter(traceMetrics.exported)
  const dropped = metrics.counter(traceMetrics.dropped)
  const [role] = roles
  const resource = {
    'service.name': roles.length === 1 && role !== undefined ? `mesh-${role}` : 'mesh',
    'service.version': version,
    'service.namespace': settings.install,
  }
  const { createOtelSdk } = await import('#core/telemetry/otel-sdk.ts')
  const sdk = await createOtelSdk(target, resource, 'mesh')
  const queue = createSpanQueue({
    send: sdk.send,
    log,
    count: { exported: (spans) => exported.inc({}, spans), dropped: (spans) => dropped.inc({}, spans) },
  })
  const tracer = createTracer((span) => {
    if (span.sampled) queue.add(span)
  }, sdk.sample)
  return { tracer, close: () => queue.close().finally(sdk.close) }
}
