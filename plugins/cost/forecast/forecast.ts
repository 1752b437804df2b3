import { fitTrend } from './trend.ts'
import type { Trend } from './trend.ts'

/** A sum with its 80 % prediction interval. */
export interface Estimate {
  readonly amount: number
  readonly low: number
  readonly high: number
}

/** Method of an estimate. */
export type ForecastMethod = 'weighted-least-squares' | 'weighted-least-squares-with-weekdays'

/** Estimates for the days from a first day on, based on earlier days. */
export interface Forecast {
  readonly method: ForecastMethod
  /** Sum of `count` days from day `skip` on; the first day is 0. */
  sum(skip: number, count: number): Estimate
}

/** Minimum number of days for an estimate. */
export const FEWEST_DAYS = 7
/** Two weeks are needed to determine factors of weekdays. */
const DAYS_FOR_WEEKDAYS = 14
/** Half-life of the weight of a day, in days. */
const HALF_LIFE = 14
/** Quantile of the normal distribution for an interval of 80 %. */
const QUANTILE = 1.2816
/** Degrees of freedom of the line, and of the weekday factors. */
const OF_LINE = 2
const OF_WEEKDAYS = 6

/**
 * Forecast by a line of weighted least squares through the costs of consecutive days, oldest first: recent days count more. From two weeks on, costs
 * are divided by the factor of their weekday before the fit. Costs may be in any unit, but not negative. Undefined below 7 days. Pure.
 */
export function forecast(costs: readonly number[]): Forecast | undefined {
  if (costs.length < FEWEST_DAYS) return undefined
  const weights = costs.map((_, day) => 0.5 ** ((costs.length - 1 - day) / HALF_LIFE))
  const isWeekly = costs.length >= DAYS_FOR_WEEKDAYS
  const factors = isWeekly ? weekdayFactors(costs, weights) : Array.from({ length: 7 }, () => 1)
  const factorOf = (day: number): number => factors[day % 7] ?? 1
  const level = costs.map((cost, day) => (factorOf(day) > 0 ? cost / factorOf(day) : 0))
  const trend = fitTrend(
    level,
    weights.map((weight, day) => (factorOf(day) > 0 ? weight : 0)),
  )
  const freedom = Math.max(effectiveCount(weights) - OF_LINE - (isWeekly ? OF_WEEKDAYS : 0), 1)
  const fitted = (day: number): number => at(trend, day) * factorOf(day)
  const variance = residualVariance({ costs, weights, fitted, freedom })
  return {
    method: isWeekly ? 'weighted-least-squares-with-weekdays' : 'weighted-least-squares',
    sum: (skip, count) => {
      const days = Array.from({ length: count }, (_, index) => costs.length + skip + index)
      const amount = days.reduce((sum, day) => sum + at(trend, day) * factorOf(day), 0)
      // First-order approximation of the quantile of Student's t-distribution.
      const quantile = QUANTILE * (1 + (QUANTILE ** 2 + 1) / (4 * freedom))
      const width = quantile * Math.sqrt(variance * spread(trend, days))
      return { amount, low: Math.max(amount - width, 0), high: amount + width }
    },
  }
}

// A falling line is cut off at 0.
function at({ mean, slope, center }: Trend, day: number): number {
  return Math.max(mean + slope * (day - center), 0)
}

function weekdayFactors(costs: readonly number[], weights: readonly number[]): readonly number[] {
  const overall = weightedMean(costs, weights, () => true)
  return Array.from({ length: 7 }, (_, weekday) =>
    overall > 0 ? weightedMean(costs, weights, (day) => day % 7 === weekday) / overall : 1,
  )
}

function weightedMean(values: readonly number[], weights: readonly number[], isOf: (day: number) => boolean): number {
  let sum = 0
  let weight = 0
  for (const [day, value] of values.entries()) {
    if (!isOf(day)) continue
    sum += value * (weights[day] ?? 0)
    weight += weights[day] ?? 0
  }
  return weight > 0 ? sum / weight : 0
}

// Effective sample size: the number of equal weights with the same variance of the mean.
function effectiveCount(weights: readonly number[]): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return total ** 2 / weights.reduce((sum, weight) => sum + weight ** 2, 0)
}

interface Residuals {
  readonly costs: readonly number[]
  readonly weights: readonly number[]
  readonly fitted: (day: number) => number
  readonly freedom: number
}

function residualVariance({ costs, weights, fitted, freedom }: Residuals): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const squares = costs.reduce((sum, cost, day) => sum + (weights[day] ?? 0) * (cost - fitted(day)) ** 2, 0)
  return (squares / total) * (effectiveCount(weights) / freedom)
}

// Variance of the independent days, and of the line, whose error they share.
function spread({ center, ofMean, ofSlope, covariance }: Trend, days: readonly number[]): number {
  const distance = days.reduce((sum, day) => sum + (day - center), 0)
  return days.length + days.length ** 2 * ofMean + distance ** 2 * ofSlope + 2 * days.length * distance * covariance
}
