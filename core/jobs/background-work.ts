/** The epoch under which a leader works; destructive statements check it in their transaction (O5). */
export interface Term {
  readonly epoch: bigint
  readonly signal: AbortSignal
}

/** Background work of a role. With `leaderOnly` one replica at a time runs it. `every` runs it at start and then in that rhythm. */
export interface Job {
  readonly name: string
  readonly role: 'worker' | 'manager'
  readonly leaderOnly: boolean
  readonly every?: number // milliseconds; absent: `run` is a loop that ends when the signal aborts
  run(term: Term): Promise<void>
}

/** Background work: `done` resolves when it has ended after the signal aborted; it rejects when it cannot go on. */
export interface Running {
  readonly done: Promise<void>
  /** Resolves when what was there at the start was worked on once, or the signal aborted. */
  readonly synced?: Promise<void>
}
