/** Dependencies of a watch of an event loop. */
export interface LoopWatchOptions {
  /** Sends a question to the event loop. */
  readonly ask: (question: number) => void
  /** The last question that the event loop has answered; 0 before the first. */
  readonly answered: () => number
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  /** Milliseconds without a response after which the event loop counts as blocked. */
  readonly blockedMs: number
}

/**
 * Finds whether an event loop still turns. Returns the milliseconds since which it has left a question unanswered if that exceeds the bound,
 * else undefined. Only a call asks, so that a watch costs nothing between probes: a block is counted from the first probe that it delays.
 */
export function createLoopWatch({ ask, answered, now, blockedMs }: LoopWatchOptions): () => number | undefined {
  let question = 0
  let askedAt = 0
  return () => {
    if (answered() === question) {
      question += 1
      askedAt = now()
      ask(question)
      return undefined
    }
    const waited = now() - askedAt
    return waited > blockedMs ? waited : undefined
  }
}
