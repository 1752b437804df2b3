import { sleep } from '#core/async/sleep.ts'

/** Spaces the batches of one consumer, so that a load is handled in few transactions. */
export interface BatchInterval {
  /** Resolves when the next batch may begin, given when the last one began, or when the signal aborts. */
  wait(startedAt: number, signal: AbortSignal): Promise<void>
}

const shortestMs = 5

/** Creates the interval of one consumer, never below its own shortest one. `now` is a monotonic clock in milliseconds. */
export function createBatchInterval(
  longestMs: number,
  leastMs = shortestMs,
  now = (): number => performance.now(),
): BatchInterval {
  let intervalMs = 0
  let freeAt = -Infinity
  return {
    wait: async (startedAt, signal) => {
      intervalMs = nextInterval(intervalMs, { idleMs: startedAt - freeAt, longestMs })
      await sleep(Math.max(0, startedAt + Math.max(leastMs, intervalMs) - now()), signal)
      freeAt = now()
    },
  }
}

/**
 * Returns twice the previous interval while events arrive within it, and the shortest interval after a longer pause. So no delay exceeds the
 * duration of the load, and the few events of one act are handled at once.
 */
export function nextInterval(
  beforeMs: number,
  { idleMs, longestMs }: { readonly idleMs: number; readonly longestMs: number },
): number {
  return Math.min(longestMs, idleMs > beforeMs ? shortestMs : Math.max(shortestMs, beforeMs * 2))
}
