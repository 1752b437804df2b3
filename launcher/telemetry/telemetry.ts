import { hostname } from 'node:os'
import type { Dispatcher } from 'undici'
import type { Logger } from '#core/log/logger.ts'
import type { SpanOrigin } from '#core/otlp/span.ts'
import { fromEnded } from '#core/otlp/write-json.ts'
import { createOtlpMetrics } from '#core/telemetry/otlp-metrics.ts'
import type { OtlpMetrics } from '#core/telemetry/otlp-metrics.ts'
import type { EndedSpan, Tracer } from '#core/telemetry/tracer.ts'
import type { AgentConfig } from '../contract/settings/agent-config.ts'
import type { Settings } from '../contract/settings/settings.ts'
import { createLoggedTracer } from './logged-tracer.ts'
import { createSpanExport } from './span-export.ts'
import type { SpanExport } from './span-export.ts'
import { createLauncherMeter } from './metrics.ts'
import type { LauncherMeter } from './metrics.ts'

/** Spans and metrics of a launcher; pushed by OTLP if an endpoint is set. */
export interface Telemetry {
  readonly tracer: Tracer
  readonly meter: LauncherMeter
  /** Pushes metrics with these gauges. */
  pushMetrics(gauges: () => Parameters<LauncherMeter['collect']>[0]): void
  /** Sends what is queued. */
  close(): Promise<void>
}

/** Creates the telemetry of a launcher. */
export function createTelemetry(settings: Settings, dispatcher: () => Promise<Dispatcher>, log: Logger): Telemetry {
  const { otlpEndpoint, otlpHeaders, agent } = settings
  const target =
    otlpEndpoint === undefined
      ? undefined
      : {
          endpoint: otlpEndpoint,
          headers: otlpHeaders,
          resource: resourceOf(agent),
          scope: 'mesh.launcher',
          dispatcher,
          log,
        }
  const meter = createLauncherMeter()
  const onDropped = (spans: number): void => meter.dropped('launcher', spans)
  const exporter = createSpanExport(settings, { dispatcher, log, onDropped })
  const origin = { resource: resourceOf(agent), scope: 'mesh.launcher' }
  let metrics: OtlpMetrics | undefined
  return {
    tracer: createLoggedTracer(log, exporter && ((span) => exportSpan(exporter, origin, span))),
    meter,
    pushMetrics: (gauges) => {
      if (target !== undefined) metrics = createOtlpMetrics({ ...target, collect: () => meter.collect(gauges()) })
    },
    close: async () => {
      await Promise.all([exporter?.close(), metrics?.close()])
    },
  }
}

function exportSpan(exporter: SpanExport, origin: SpanOrigin, span: EndedSpan): void {
  const { content } = span
  if (content === undefined) exporter.add(origin, [fromEnded(span)])
  else exporter.addWithContent(origin, fromEnded(span), content)
}

function resourceOf(agent: AgentConfig) {
  return {
    'service.name': agent.name,
    'service.namespace': agent.namespace,
    // Keeps the series of replicas apart.
    'service.instance.id': `${hostname()}/${process.pid}`,
    'mesh.agent.uid': agent.uid,
    ...(agent.revision === undefined ? {} : { 'mesh.agent.revision': agent.revision }),
  }
}
