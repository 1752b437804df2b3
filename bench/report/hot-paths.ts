/** A hot path with a goal. */
export interface HotPath {
  readonly number: number
  readonly what: string
}

/** Hot paths by number, as referenced by the goals of benches. */
export const hotPaths: readonly HotPath[] = [
  { number: 1, what: 'model port: a plain call' },
  { number: 2, what: 'model port: a stream' },
  { number: 3, what: 'model port: memory' },
  { number: 4, what: 'check of budget, rate and concurrency' },
  { number: 5, what: 'hop between two agents' },
  { number: 6, what: 'state port: append and get' },
  { number: 7, what: 'tool port: list and call' },
  { number: 8, what: 'audit: write' },
  { number: 9, what: 'audit: read at any depth' },
  { number: 10, what: 'audit: retention' },
  { number: 11, what: "a run's event stream" },
  { number: 12, what: 'list of agents' },
  { number: 13, what: 'domain events' },
  { number: 14, what: 'launcher: start' },
  { number: 15, what: 'BFF: start' },
  { number: 16, what: '`meshctl expand`' },
  { number: 17, what: '`npm start`' },
  { number: 18, what: 'growth: cost per operation stays flat' },
  { number: 19, what: 'a run: CPU and time' },
  { number: 20, what: 'a run: statements and transactions' },
  { number: 21, what: 'CPU of an idle platform' },
  { number: 22, what: 'memory after runs' },
  { number: 23, what: 'model gateway: a plain call' },
]
