import { sumAmounts } from '../format/money.ts'
import type { LinePoint } from './line-points.ts'

/** What was spent on a day, or will be. Amounts are the decimal strings of the API. */
export interface CumulativeDay {
  readonly day: string
  readonly amount: string
  readonly isForecast?: boolean
}

/** Sums of days, as points of a box from 0 to 100 in both directions; y grows downwards. */
export interface CumulativeShape {
  readonly spent: readonly LinePoint[]
  /** Begins where `spent` ends; empty without a forecast. */
  readonly forecast: readonly LinePoint[]
  /** The corners of the cone: the upper edge, and the lower one backwards; empty without an interval. */
  readonly cone: readonly LinePoint[]
  /** The last sum, as a decimal string. */
  readonly end: string
}

/** The interval of the last sum. */
export interface SumInterval {
  readonly low: string
  readonly high: string
}

/**
 * Adds the days up. The interval of the last sum is that of the API; before it the cone opens with the share of the forecast that lies
 * behind a day, since intervals of days do not add up to those of sums.
 */
export function toCumulative(
  days: readonly CumulativeDay[],
  top: number,
  interval: SumInterval | undefined,
): CumulativeShape {
  const sums = days.map((_, index) => Number(sumAmounts(days.slice(0, index + 1).map(({ amount }) => amount))))
  const x = (index: number): number => (days.length < 2 ? 0 : (index / (days.length - 1)) * 100)
  const y = (value: number): number => 100 - (Math.max(0, value) / top) * 100
  const points = sums.map((sum, index) => ({ x: x(index), y: y(sum) }))
  const firstAhead = days.findIndex(({ isForecast }) => isForecast === true)
  const spentEnd = firstAhead === -1 ? days.length : firstAhead
  const ahead = firstAhead === -1 ? [] : points.slice(Math.max(0, spentEnd - 1))
  return {
    spent: points.slice(0, spentEnd),
    forecast: ahead,
    cone:
      interval === undefined || ahead.length < 2
        ? []
        : coneOf(sums.slice(Math.max(0, spentEnd - 1)), ahead, interval, y),
    end: sumAmounts(days.map(({ amount }) => amount)),
  }
}

function coneOf(
  sums: readonly number[],
  points: readonly LinePoint[],
  interval: SumInterval,
  y: (value: number) => number,
): readonly LinePoint[] {
  const [first = 0, last = 0] = [sums[0], sums.at(-1)]
  const whole = last - first
  const edge = (bound: number) =>
    points.map(({ x }, index) => {
      const sum = sums[index] ?? 0
      const share = whole === 0 ? index / (points.length - 1) : (sum - first) / whole
      return { x, y: y(sum + (bound - last) * share) }
    })
  return [...edge(Number(interval.high)), ...edge(Number(interval.low)).toReversed()]
}
