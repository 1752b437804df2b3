import { MAX_TIMER_MS } from '#schemas/values/duration.ts'

/** A pending timeout that can be cancelled. */
export interface LongTimeout {
  cancel(): void
  /** Allows the process to exit while the timeout is pending. */
  unref(): LongTimeout
}

/**
 * Calls `done` once after `ms` milliseconds. Node's `setTimeout` fires after 1 ms when the delay exceeds 2^31 - 1 ms; this function chains
 * timers. Use it for every delay given by a caller, an object or a setting.
 */
export function longTimeout(done: () => void, ms: number): LongTimeout {
  const end = performance.now() + ms
  let timer: NodeJS.Timeout
  let held = true
  const arm = (): void => {
    const left = Math.max(0, end - performance.now())
    timer = setTimeout(left > MAX_TIMER_MS ? arm : done, Math.min(Math.ceil(left), MAX_TIMER_MS))
    if (!held) timer.unref()
  }
  arm()
  const pending: LongTimeout = {
    cancel: () => clearTimeout(timer),
    unref: () => {
      held = false
      timer.unref()
      return pending
    },
  }
  return pending
}
