/** A counter, gauge or histogram of prom-client, created once per name. Names start with `mesh_`. */
export interface Metrics {
  counter(
    name: string,
    help: string,
    labels?: readonly string[],
  ): { inc(labels?: Readonly<Record<string, string>>, by?: number): void }
  gauge(
    name: string,
    help: string,
    labels?: readonly string[],
  ): { set(value: number, labels?: Readonly<Record<string, string>>): void }
  histogram(
    name: string,
    help: string,
    options: { readonly labels?: readonly string[]; readonly buckets: readonly number[] },
  ): { observe(value: number, labels?: Readonly<Record<string, string>>): void }
  /** The exposition text. */
  render(): Promise<string>
}
