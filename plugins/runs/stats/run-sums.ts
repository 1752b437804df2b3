import type { Usage } from '#schemas/runs/run.ts'

/** Sums of a group of runs. */
export interface RunSums {
  readonly count: number
  readonly succeeded: number
  readonly failed: number
  readonly paused: number
  readonly usage: Usage
  /** Cost in micro-units by currency. */
  readonly micros: ReadonlyMap<string, bigint>
  /** Numbers of runs by bucket of a time, as one whole number. */
  readonly duration: string
  readonly queue: string
  readonly firstToken: string
}
