/** How long to wait before the n-th try again (0 is the first): exponential between the bounds, half of it jitter. */
export function backoffMs(
  failures: number,
  bounds: { readonly minMs: number; readonly maxMs: number },
  random: () => number = Math.random,
): number {
  const whole = Math.min(bounds.maxMs, bounds.minMs * 2 ** Math.min(failures, 30))
  // Jitter keeps replicas, and objects that failed together, from coming back together.
  return whole / 2 + (whole / 2) * random()
}

/** Waits, or returns early when the signal aborts; never throws. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
  })
}
