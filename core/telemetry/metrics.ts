/** Who exports a metric: a role, `every` process of the platform, or the launchers. */
export type MetricRole = 'every' | 'bff' | 'worker' | 'manager' | 'gateway' | 'state' | 'launcher'

interface MetricText<Label extends string> {
  /** Starts with `mesh_`; seconds and bytes, never milliseconds; counters end in `_total`. */
  readonly name: string
  readonly help: string
  /** Names whose values are bounded by the code: a route's template, never the name of a user, run or agent. */
  readonly labels: readonly Label[]
  readonly roles: readonly MetricRole[]
}

/** A metric as it is declared, once, in a `metrics.ts`: docs/reference/metrics.md, dashboards and alerts are held to it. */
export type MetricSpec<Label extends string = string> = CounterSpec<Label> | GaugeSpec<Label> | HistogramSpec<Label>

/** A count that only grows. */
export interface CounterSpec<Label extends string = string> extends MetricText<Label> {
  readonly kind: 'counter'
}

/** A value that goes up and down. */
export interface GaugeSpec<Label extends string = string> extends MetricText<Label> {
  readonly kind: 'gauge'
}

/** A distribution; `buckets` are its upper bounds. */
export interface HistogramSpec<Label extends string = string> extends MetricText<Label> {
  readonly kind: 'histogram'
  readonly buckets: readonly number[]
}

/** Values of a metric's labels. */
export type LabelValues<Label extends string> = Readonly<Record<Label, string>>

/** The running count of a {@link CounterSpec}. */
export interface Counter<Label extends string> {
  inc(labels?: LabelValues<Label>, by?: number): void
}

/** The current value of a {@link GaugeSpec}. */
export interface Gauge<Label extends string> {
  set(value: number, labels?: LabelValues<Label>): void
  add(by: number, labels?: LabelValues<Label>): void
}

/** The observations of a {@link HistogramSpec}. */
export interface Histogram<Label extends string> {
  observe(value: number, labels?: LabelValues<Label>): void
}

/** The metrics of one process. A spec gives the same metric however often it is asked for. */
export interface Metrics {
  counter<Label extends string>(spec: CounterSpec<Label>): Counter<Label>
  gauge<Label extends string>(spec: GaugeSpec<Label>): Gauge<Label>
  histogram<Label extends string>(spec: HistogramSpec<Label>): Histogram<Label>
  /** Runs before each scrape, for values that are read rather than followed; it must be cheap and may not throw. */
  beforeScrape(read: () => void): void
  /** The exposition text. */
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
