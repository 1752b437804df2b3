/** Ratio of the bounds of a bucket, as in `runs_bucket` of the database. */
const GROWTH = 1.2
/** Decimal places of each bucket, as in `runs_histogram`. */
const PLACES = 12

/** Percentiles of times in milliseconds; null without a time. The error is at most 10 %. */
export interface Percentiles {
  readonly p50: number | null
  readonly p95: number | null
  readonly p99: number | null
}

/** Percentiles of a sum of histograms: a whole number of which each bucket has twelve decimal places, the first one last. Pure. */
export function percentilesOf(histogram: string): Percentiles {
  const counts = countsOf(histogram)
  const total = counts.reduce((sum, count) => sum + count, 0)
  const at = (share: number): number | null => (total === 0 ? null : valueAt(counts, Math.ceil(total * share)))
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}

function countsOf(histogram: string): readonly number[] {
  const counts: number[] = []
  for (let end = histogram.length; end > 0; end -= PLACES)
    counts.push(Number(histogram.slice(Math.max(0, end - PLACES), end)))
  return counts
}

function valueAt(counts: readonly number[], rank: number): number {
  let passed = 0
  const bucket = counts.findIndex((count) => (passed += count) >= rank)
  return middleOf(bucket)
}

// The harmonic mean errs by 1/11 at either bound; rounding adds at most half a percent.
function middleOf(bucket: number): number {
  const lower = GROWTH ** bucket
  return Number(((2 * lower * GROWTH) / (1 + GROWTH)).toPrecision(3))
}
