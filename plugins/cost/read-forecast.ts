import { BASIS_DAYS, forecastCost, toMethod } from './forecast/forecast-cost.ts'
import { addDays, toDay } from './store/period.ts'
import type { CostServices } from './services.ts'
import { readGroups } from './store/read-cost.ts'
import type { CostAccess, GroupSums } from './store/read-cost.ts'
import type { CostTables } from './contract/tables.ts'

const INTERVAL = 0.8

/** Forecast for the namespaces of the proofs, in each currency of its priced calls. */
export async function readForecast({ store, now }: CostServices, access: CostAccess) {
  const today = toDay(now().getTime())
  const period = { from: addDays(today, -BASIS_DAYS), to: addDays(today, -1) }
  const query = { period, by: ['day'], limit: BASIS_DAYS } as const
  const days = await readGroups(store.reader<CostTables>(), access, query)
  const items = currenciesOf(days).map((currency) => forecastCost(currency, paidIn(currency, days), today))
  // With several currencies, the one with the longest basis.
  const longest = items.toSorted((a, b) => (b.basis?.days ?? 0) - (a.basis?.days ?? 0))[0] ?? toMethod(undefined, 0)
  return {
    asOf: today,
    interval: INTERVAL,
    complete: days.every(({ unpriced }) => unpriced === '0'),
    method: longest.method,
    reason: longest.reason,
    items,
  }
}

function currenciesOf(days: readonly GroupSums[]): readonly string[] {
  return [...new Set(days.flatMap(({ micros }) => Object.keys(micros)))].toSorted()
}

function paidIn(currency: string, days: readonly GroupSums[]) {
  return days.flatMap(({ keys: [day = ''], micros }) => {
    const amount = micros[currency]
    return amount === undefined ? [] : [{ day, micros: BigInt(amount) }]
  })
}
