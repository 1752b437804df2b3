/** Epoch of a leader's term. Destructive statements check it in their transaction (O5). */
export interface Term {
  readonly epoch: bigint
  readonly signal: AbortSignal
}

/** Argument of one execution of a job. */
export interface JobTerm extends Term {
  /** Scheduled time of the execution; only with `cron`. */
  readonly tick?: Date
}

/** Background work of a role. With `leaderOnly` one replica at a time runs it. */
export type Job = NamedWork & (Continuous | Periodic | Scheduled)

interface NamedWork {
  /** `<plugin>.<purpose>`; with `leaderOnly` also the name of the lease. */
  readonly name: string
  readonly leaderOnly: boolean
  /** A failed execution is repeated with back-off. */
  run(term: JobTerm): Promise<void>
}

/** `run` is a loop that ends when the signal aborts. */
interface Continuous {
  readonly every?: undefined
  readonly cron?: undefined
  readonly timezone?: undefined
}

/** Runs at startup and then at an interval. */
interface Periodic {
  /** Milliseconds from the end of one execution to the start of the next. */
  readonly every: number
  readonly cron?: undefined
  readonly timezone?: undefined
}

/** Runs at the times of a cron expression. Ticks that pass while no replica runs are made up for by one execution if `leaderOnly`. */
interface Scheduled {
  readonly every?: undefined
  /** Five fields (minute, hour, day of month, month, day of week) or a nickname such as `@daily`. */
  readonly cron: string
  /** IANA time zone of the expression; default UTC. */
  readonly timezone?: string
}

/** Running background work. `done` resolves when it has stopped after the abort, and rejects if it cannot continue. */
export interface RunningBackgroundWork {
  readonly done: Promise<void>
  /** Resolves when everything present at startup has been processed once, or the signal aborted. */
  readonly synced?: Promise<void>
}
