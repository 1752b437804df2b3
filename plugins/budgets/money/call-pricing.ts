import type { CallPricing } from '#plugins/providers/points.ts'
import type { BudgetsSettings } from '../settings.ts'
import { formatMicros } from '#schemas/money.ts'
import { costOfCall, pricesOfRoute } from './price-table.ts'

/** Prices calls as holds are priced: by the route, else by the settings, else by the shipped table. */
export function createCallPricing(settings: Pick<BudgetsSettings, 'prices' | 'shippedPrices'>): CallPricing {
  return {
    name: 'budgets',
    costOf: ({ route: { namespace, generation, spec }, provider, model, usage }) => {
      const prices = pricesOfRoute({ metadata: { namespace, generation }, spec }, settings)
      const served = prices.filter((one) => one.provider === provider && one.model === model)
      const [{ source = null, currency } = {}] = served
      if (source === null || currency === undefined) return undefined
      const cost = costOfCall(served, currency, { usage, provider, model })
      return cost === undefined ? undefined : { amount: formatMicros(cost), currency, price: source }
    },
  }
}
