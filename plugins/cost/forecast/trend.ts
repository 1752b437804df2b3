/** A line through values, by weighted least squares. */
export interface Trend {
  /** Weighted mean of the values: the line at `center`. */
  readonly mean: number
  readonly slope: number
  readonly center: number
  /** Variance of the mean and of the slope, in units of the variance of a value. */
  readonly ofMean: number
  readonly ofSlope: number
  /** Covariance of both: weights shift the mean towards recent days. */
  readonly covariance: number
}

/** Fits a line to the values at 0, 1, 2 and so on. Values with the weight 0 are ignored. Pure. */
export function fitTrend(values: readonly number[], weights: readonly number[]): Trend {
  const sum = (term: (weight: number, index: number, value: number) => number): number =>
    values.reduce((total, value, index) => total + term(weights[index] ?? 0, index, value), 0)
  const total = sum((weight) => weight)
  if (total === 0) return { mean: 0, slope: 0, center: 0, ofMean: 0, ofSlope: 0, covariance: 0 }
  const center = sum((weight, index) => weight * index) / total
  const mean = sum((weight, _, value) => weight * value) / total
  const width = sum((weight, index) => weight * (index - center) ** 2)
  const isPoint = width === 0
  return {
    mean,
    center,
    slope: isPoint ? 0 : sum((weight, index, value) => weight * (index - center) * (value - mean)) / width,
    ofMean: sum((weight) => weight ** 2) / total ** 2,
    ofSlope: isPoint ? 0 : sum((weight, index) => (weight * (index - center)) ** 2) / width ** 2,
    covariance: isPoint ? 0 : sum((weight, index) => weight ** 2 * (index - center)) / (total * width),
  }
}
