import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { MetricSpec, Metrics } from './metrics.ts'
import { followProcess } from './process-metrics.ts'

/** Creates the metrics of one process; `process` adds those of the process and of Node. */
export function createMetrics(options: { readonly process?: boolean } = {}): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const known = new Map<string, { readonly spec: MetricSpec; readonly metric: object }>()
  const reads: (() => void)[] = []
  const ensure = <M extends object>(spec: MetricSpec, make: () => M): M => {
    const found = known.get(spec.name)
    if (found !== undefined && found.spec !== spec) throw new TypeError(`${spec.name} is declared twice`)
    // One spec always creates the same kind of metric, so an existing one has the right type.
    const metric = (found?.metric as M | undefined) ?? make()
    known.set(spec.name, { spec, metric })
    return metric
  }
  const metrics: Metrics = {
    counter: (spec) => {
      const counter = ensure(spec, () => new Counter({ ...textOf(spec), registers }))
      return { inc: (labels, by = 1) => counter.inc({ ...labels }, by) }
    },
    gauge: (spec) => {
      const gauge = ensure(spec, () => new Gauge({ ...textOf(spec), registers }))
      return {
        set: (value, labels) => gauge.set({ ...labels }, value),
        add: (by, labels) => gauge.inc({ ...labels }, by),
      }
    },
    histogram: (spec) => {
      const make = () => new Histogram({ ...textOf(spec), buckets: [...spec.buckets], registers })
      const histogram = ensure(spec, make)
      return { observe: (value, labels) => histogram.observe({ ...labels }, value) }
    },
    beforeScrape: (read) => {
      void reads.push(read)
    },
    render: () => {
      for (const read of reads) read()
      return registry.metrics()
    },
  }
  if (options.process === true) followProcess(metrics, registry)
  return metrics
}

function textOf({ name, help, labels }: MetricSpec): { name: string; help: string; labelNames: string[] } {
  return { name, help, labelNames: [...labels] }
}
