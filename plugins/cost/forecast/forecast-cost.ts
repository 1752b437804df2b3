import { formatMicros } from '#schemas/values/money.ts'
import type { CostForecastOfCurrency } from '#schemas/api/cost-forecast.ts'
import { addDays, daysOf, endOfMonth } from '../store/period.ts'
import { FEWEST_DAYS, forecast } from './forecast.ts'
import type { Estimate, Forecast } from './forecast.ts'

/** Cost of a day with calls. */
export interface PaidDay {
  readonly day: string
  readonly micros: bigint
}

/** Number of past days on which a forecast is based. */
export const BASIS_DAYS = 90
const NEXT_DAYS = 30

/**
 * Forecast in one currency from the days before `today`, oldest first. The basis begins with the first paid day; a day without calls costs
 * nothing. Pure.
 */
export function forecastCost(currency: string, paid: readonly PaidDay[], today: string): CostForecastOfCurrency {
  const days = paid.filter(({ day }) => day < today)
  const from = days[0]?.day
  const basis = from === undefined ? null : toBasis(from, today)
  const month = today.slice(0, 7)
  const spent = days.filter(({ day }) => day.startsWith(month)).reduce((sum, { micros }) => sum + micros, 0n)
  const model = forecast(from === undefined ? [] : costsFrom(from, today, days))
  const estimate = (to: string) => (model === undefined ? null : toEstimate(model, today, to))
  return {
    currency,
    ...toMethod(model, basis?.days ?? 0),
    basis,
    spentThisMonth: formatMicros(spent),
    restOfMonth: estimate(endOfMonth(today)),
    next30Days: estimate(addDays(today, NEXT_DAYS - 1)),
    days: model === undefined ? [] : toDays(model, today),
  }
}

/** The method of a forecast and its reason, even if there is no forecast. */
export function toMethod(model: Forecast | undefined, days: number) {
  const needed = `A forecast needs ${FEWEST_DAYS} days since the first cost; there are ${days}.`
  if (model === undefined) return { method: 'none' as const, reason: needed }
  return { method: model.method, reason: `There are ${days} days since the first cost.` }
}

function toBasis(from: string, today: string) {
  const to = addDays(today, -1)
  return { from, to, days: daysOf({ from, to }) }
}

function costsFrom(from: string, today: string, days: readonly PaidDay[]): readonly number[] {
  const byDay = new Map(days.map(({ day, micros }) => [day, Number(micros)]))
  return Array.from({ length: daysOf({ from, to: today }) - 1 }, (_, index) => byDay.get(addDays(from, index)) ?? 0)
}

function toEstimate(model: Forecast, from: string, to: string) {
  return { from, to, ...toAmounts(model.sum(0, daysOf({ from, to }))) }
}

// Both estimates in days: a month of 31 days is longer than the next 30 days.
function toDays(model: Forecast, today: string) {
  const count = Math.max(NEXT_DAYS, daysOf({ from: today, to: endOfMonth(today) }))
  return Array.from({ length: count }, (_, skip) => ({ day: addDays(today, skip), ...toAmounts(model.sum(skip, 1)) }))
}

function toAmounts({ amount, low, high }: Estimate) {
  const text = (micros: number): string => formatMicros(BigInt(Math.round(micros)))
  return { amount: text(amount), low: text(low), high: text(high) }
}
