/** Size of a bucket, and the tokens that it gets per second. */
export interface TokenBucketOptions {
  readonly perSecond: number
  readonly burst: number
}

/** Bounds the rate of something that may also wait. */
export interface TokenBucket {
  /** Takes a token. Returns the milliseconds until it is there. */
  reserve(): number
}

/** Creates a full bucket. `now` is monotonic, in milliseconds. */
export function createTokenBucket(
  { perSecond, burst }: TokenBucketOptions,
  now: () => number = () => performance.now(),
): TokenBucket {
  let tokens = burst
  let filledAt = now()
  return {
    reserve: () => {
      const at = now()
      tokens = Math.min(burst, tokens + ((at - filledAt) / 1000) * perSecond) - 1
      filledAt = at
      return tokens >= 0 ? 0 : (-tokens / perSecond) * 1000
    },
  }
}
