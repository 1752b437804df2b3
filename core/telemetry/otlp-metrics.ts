import type { Logger } from '#core/log/logger.ts'
import type { CounterSpec, GaugeSpec } from './metrics.ts'
import { toAttributes } from './otlp-json.ts'
import type { SpanSource } from './otlp-json.ts'
import { postOtlp } from './otlp-post.ts'
import type { Collector } from './otlp-post.ts'

/** One series at the time of a push. */
export interface MetricPoint {
  readonly spec: CounterSpec | GaugeSpec
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Collector, source and series of the pushes. */
export interface OtlpMetricsOptions extends Collector, SpanSource {
  /** Returns every series; an empty list is not sent. */
  readonly collect: () => readonly MetricPoint[]
  readonly log: Logger
  readonly everyMs?: number
}

/** Pushes metrics, best effort: a failed push is not retried, since the next one has the same totals. */
export interface OtlpMetrics {
  push(): Promise<void>
  /** Pushes a last time and stops. */
  close(): Promise<void>
}

// The collector has no pipeline for metrics, so the pushes stop.
const unsupported = new Set([404, 405, 501])

/** Starts pushing. The timer does not keep the process alive. */
export function createOtlpMetrics(options: OtlpMetricsOptions): OtlpMetrics {
  const startedAt = Date.now()
  let failed = false
  let timer: NodeJS.Timeout | undefined
  const push = async (): Promise<void> => {
    try {
      const points = options.collect()
      if (points.length === 0) return
      const status = await postOtlp(options, '/v1/metrics', toMetricsExport(options, points, startedAt))
      if (unsupported.has(status)) clearInterval(timer)
      if (status >= 300) throw new Error(`status ${status}`)
      failed = false
    } catch (error) {
      if (!failed) options.log.warn({ err: String(error) }, 'metrics not accepted by the collector')
      failed = true
    }
  }
  timer = setInterval(() => {
    // oxlint-disable-next-line typescript/no-floating-promises -- handles its errors
    void push()
  }, options.everyMs ?? 15_000).unref()
  return {
    push,
    close: async () => {
      clearInterval(timer)
      await push()
    },
  }
}

/** An ExportMetricsServiceRequest (opentelemetry-proto, JSON encoding) with cumulative sums. */
function toMetricsExport({ resource, scope }: SpanSource, points: readonly MetricPoint[], startedAt: number): object {
  const time = { startTimeUnixNano: nano(startedAt), timeUnixNano: nano(Date.now()) }
  const metrics = [...Map.groupBy(points, ({ spec }) => spec)].map(([spec, series]) => {
    const dataPoints = series.map(({ labels, value }) => ({
      attributes: toAttributes(labels),
      ...time,
      asDouble: value,
    }))
    const data =
      spec.kind === 'counter'
        ? { sum: { dataPoints, aggregationTemporality: 2, isMonotonic: true } }
        : { gauge: { dataPoints } }
    return { name: spec.name, description: spec.help, ...data }
  })
  return {
    resourceMetrics: [
      { resource: { attributes: toAttributes(resource) }, scopeMetrics: [{ scope: { name: scope }, metrics }] },
    ],
  }
}

function nano(milliseconds: number): string {
  return `${milliseconds}000000`
}
