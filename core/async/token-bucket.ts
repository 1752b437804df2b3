/** Size of a bucket, and the tokens that it gets per second. */
export interface TokenBucketOptions {
  readonly perSecond: number
  readonly burst: number
}

/** Limits the rate of work that can be delayed. */
export interface TokenBucket {
  /** Takes tokens, one by default. Returns the milliseconds until they are available. */
  reserve(count?: number): number
}

/** Creates a full bucket. `now` is monotonic, in milliseconds. */
export function createTokenBucket(
  { perSecond, burst }: TokenBucketOptions,
  now: () => number = () => performance.now(),
): TokenBucket {
  let tokens = burst
  let filledAt = now()
  return {
    reserve: (count = 1) => {
      const at = now()
      tokens = Math.min(burst, tokens + ((at - filledAt) / 1000) * perSecond) - count
      filledAt = at
      return tokens >= 0 ? 0 : (-tokens / perSecond) * 1000
    },
  }
}
