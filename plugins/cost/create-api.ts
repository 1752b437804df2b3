import type { CostApi } from './contract/api.ts'
import type { CostTables } from './contract/tables.ts'
import { addSums, toTotals } from './query/totals.ts'
import { readForecast } from './read-forecast.ts'
import type { CostServices } from './services.ts'
import { MAX_DAYS, parsePeriod } from './store/period.ts'
import { readGroups } from './store/read-cost.ts'

/** Creates the API. */
export function createCostApi(services: CostServices): CostApi {
  const { store, now } = services
  return {
    spendOfMonth: async (access) => {
      const period = parsePeriod({}, now())
      const days = await readGroups(store.reader<CostTables>(), access, { period, by: ['day'], limit: MAX_DAYS })
      return { ...period, ...toTotals(addSums(days)) }
    },
    forecastOfMonth: async (access) => {
      const { interval, complete, items } = await readForecast(services, access)
      const rest = items.map(({ currency, method, reason, restOfMonth }) => ({ currency, method, reason, restOfMonth }))
      return { interval, complete, items: rest }
    },
  }
}
