import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Metrics } from './metrics.ts'

/** Metrics of one process; creating a name twice gives the same metric. `process` adds Node's own figures. */
export function createMetrics(options: { readonly process?: boolean } = {}): Metrics {
  const registers = [new Registry()]
  const [registry = new Registry()] = registers
  if (options.process === true) collectDefaultMetrics({ register: registry })
  const counters = new Map<string, Counter>()
  const gauges = new Map<string, Gauge>()
  const histograms = new Map<string, Histogram>()
  return {
    counter: (name, help, labels = []) => {
      const counter = ensure(counters, name, () => new Counter({ name, help, labelNames: [...labels], registers }))
      return { inc: (values = {}, by = 1) => counter.inc(values, by) }
    },
    gauge: (name, help, labels = []) => {
      const gauge = ensure(gauges, name, () => new Gauge({ name, help, labelNames: [...labels], registers }))
      return { set: (value, values = {}) => gauge.set(values, value) }
    },
    histogram: (name, help, { labels = [], buckets }) => {
      const make = (): Histogram =>
        new Histogram({ name, help, labelNames: [...labels], buckets: [...buckets], registers })
      const histogram = ensure(histograms, name, make)
      return { observe: (value, values = {}) => histogram.observe(values, value) }
    },
    render: () => registry.metrics(),
  }
}

function ensure<M>(known: Map<string, M>, name: string, make: () => M): M {
  if (!/^mesh_[a-z0-9_]+$/.test(name)) throw new TypeError(`${name}: names of metrics start with mesh_`)
  const metric = known.get(name) ?? make()
  known.set(name, metric)
  return metric
}
