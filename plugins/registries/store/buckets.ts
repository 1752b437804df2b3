/** Width of a bucket: a duration is known within 10 %. */
const GROWTH = 1.2
/** Durations of a day and more share a bucket. */
const MOST = 100

/** Bucket of a duration. Pure. */
export function bucketOf(milliseconds: number): number {
  return Math.min(Math.ceil(Math.log(Math.max(milliseconds, 1)) / Math.log(GROWTH)), MOST)
}

/** A percentile of durations by bucket, from the middle of its bucket; null without a duration. Pure. */
export function percentileOf(counts: Readonly<Record<string, number>>, share: number): number | null {
  const buckets = Object.entries(counts)
    .map(([bucket, count]) => [Number(bucket), count] as const)
    .filter(([bucket]) => bucket >= 0)
    .toSorted(([a], [b]) => a - b)
  const total = buckets.reduce((sum, [, count]) => sum + count, 0)
  let seen = 0
  for (const [bucket, count] of buckets) {
    seen += count
    if (seen >= total * share) return Math.round(GROWTH ** Math.max(bucket - 0.5, 0))
  }
  return null
}
