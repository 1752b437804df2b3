import { stalledError } from './status.ts'

/** Counts the calls to one API server and refuses those that could only wait behind a server that has stopped answering (K4). */
export interface StallGate {
  /** Counts a call in, or throws a 503 with Retry-After. The result counts it out; `answered` tells that the server lives. */
  enter(): (answered: boolean) => void
}

/** When a gate closes. */
export interface StallLimits {
  /** Calls under way that are always let in. */
  readonly underWay: number
  /** Milliseconds without any answer after which more than those are refused. */
  readonly silentMs: number
}

/**
 * A gate that is open while answers come, however many calls there are: a burst of reviews is no fault. Without it the calls of a whole
 * deadline (2,000 at 200 a second) stand before the first one after a thaw, which is then late by the time they all take.
 */
export function createStallGate({ underWay, silentMs }: StallLimits, now = () => performance.now()): StallGate {
  let current = 0
  let heard = 0
  return {
    enter: () => {
      // Without requests under way no answers were expected.
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
