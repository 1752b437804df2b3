/** Shortest and longest delay of a back-off. */
export interface BackoffBounds {
  readonly minMs: number
  readonly maxMs: number
}

/** Delay before a retry (0 is the first), doubled with each failure up to the longest; half of it is jitter. */
export function backoffMs(failures: number, bounds: BackoffBounds, random: () => number = Math.random): number {
  const whole = exponentialMs(failures, bounds)
  // Jitter keeps replicas, and objects that failed together, from retrying together.
  return whole / 2 + (whole / 2) * random()
}

/** The delay of `backoffMs` without jitter. */
export function exponentialMs(failures: number, { minMs, maxMs }: BackoffBounds): number {
  return Math.min(maxMs, minMs * 2 ** Math.min(failures, 30))
}
