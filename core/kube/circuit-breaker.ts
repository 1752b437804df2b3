import { stalledError } from './status.ts'

/** Counts calls to one API server, and refuses calls that could only queue behind a server that has stopped responding (K4). */
export interface StallGate {
  /** Admits a call, or throws a 503 with Retry-After. Call the result when it ends; `answered` reports a response. */
  enter(): (answered: boolean) => void
}

/** When the breaker opens. */
export interface StallLimits {
  /** Concurrent calls that are always admitted. */
  readonly underWay: number
  /** Milliseconds without any response, after which further calls are refused. */
  readonly silentMs: number
}

/**
 * Creates a breaker that stays closed while responses arrive, however many calls there are: a burst of reviews is not a fault. Without it,
 * the calls of a whole deadline (2,000 at 200/s) would queue before the first one after a recovery.
 */
export function createStallGate({ underWay, silentMs }: StallLimits, now = () => performance.now()): StallGate {
  let current = 0
  let heard = 0
  return {
    enter: () => {
      // Without calls in progress no response was expected.
      if (current === 0) heard = now()
      if (current >= underWay && now() - heard > silentMs) throw stalledError()
      current++
      return (answered) => {
        current--
        if (answered) heard = now()
      }
    },
  }
}
