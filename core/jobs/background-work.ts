/** Epoch of a leader's term. Destructive statements check it in their transaction (O5). */
export interface Term {
  readonly epoch: bigint
  readonly signal: AbortSignal
}

/**
 * Background work of a role. With `leaderOnly` one replica at a time runs it. With `every` it runs at startup and then at that interval.
 */
export interface Job {
  readonly name: string
  readonly role: 'worker' | 'manager'
  readonly leaderOnly: boolean
  readonly every?: number // milliseconds; if absent, `run` is a loop that ends when the signal aborts
  run(term: Term): Promise<void>
}

/** Running background work. `done` resolves when it has stopped after the abort, and rejects if it cannot continue. */
export interface Running {
  readonly done: Promise<void>
  /** Resolves when everything present at startup has been processed once, or the signal aborted. */
  readonly synced?: Promise<void>
}
