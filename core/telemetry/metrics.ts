/** Exporter of a metric: a role, `every` process of the platform, or the launchers. */
export type MetricRole = 'every' | 'bff' | 'worker' | 'manager' | 'gateway' | 'state' | 'launcher'

interface MetricText<Label extends string> {
  /** Starts with `mesh_`; seconds and bytes, never milliseconds; counters end in `_total`. */
  readonly name: string
  readonly help: string
  /** Label names. Their values are bounded by the code: a route's template, never the name of a user, run or agent. */
  readonly labels: readonly Label[]
  readonly roles: readonly MetricRole[]
}

/** Declaration of a metric, in a `metrics.ts`. Tests compare docs/reference/metrics.md, dashboards and alerts with it. */
export type MetricSpec<Label extends string = string> = CounterSpec<Label> | GaugeSpec<Label> | HistogramSpec<Label>

/** A counter. */
export interface CounterSpec<Label extends string = string> extends MetricText<Label> {
  readonly kind: 'counter'
}

/** A gauge. */
export interface GaugeSpec<Label extends string = string> extends MetricText<Label> {
  readonly kind: 'gauge'
}

/** A histogram; `buckets` are its upper bounds. */
export interface HistogramSpec<Label extends string = string> extends MetricText<Label> {
  readonly kind: 'histogram'
  readonly buckets: readonly number[]
}

/** Values of a metric's labels. */
export type LabelValues<Label extends string> = Readonly<Record<Label, string>>

/** A registered {@link CounterSpec}. */
export interface Counter<Label extends string> {
  inc(labels?: LabelValues<Label>, by?: number): void
}

/** A registered {@link GaugeSpec}. */
export interface Gauge<Label extends string> {
  set(value: number, labels?: LabelValues<Label>): void
  add(by: number, labels?: LabelValues<Label>): void
}

/** A registered {@link HistogramSpec}. */
export interface Histogram<Label extends string> {
  observe(value: number, labels?: LabelValues<Label>): void
}

/** The metrics of one process. Repeated calls with the same spec return the same metric. */
export interface Metrics {
  counter<Label extends string>(spec: CounterSpec<Label>): Counter<Label>
  gauge<Label extends string>(spec: GaugeSpec<Label>): Gauge<Label>
  histogram<Label extends string>(spec: HistogramSpec<Label>): Histogram<Label>
  /** Registers a callback that runs before each scrape, for values that are read on demand. It must be cheap and must not throw. */
  beforeScrape(read: () => void): void
  /** Renders the exposition format. */
  render(): Promise<string>
}

/** Declares a counter. */
export function defineCounter<const Label extends string = never>(
  spec: Omit<CounterSpec<Label>, 'kind'>,
): CounterSpec<Label> {
  return { ...spec, kind: 'counter' }
}

/** Declares a gauge. */
export function defineGauge<const Label extends string = never>(
  spec: Omit<GaugeSpec<Label>, 'kind'>,
): GaugeSpec<Label> {
  return { ...spec, kind: 'gauge' }
}

/** Declares a histogram. */
export function defineHistogram<const Label extends string = never>(
  spec: Omit<HistogramSpec<Label>, 'kind'>,
): HistogramSpec<Label> {
  return { ...spec, kind: 'histogram' }
}
