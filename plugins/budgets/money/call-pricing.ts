import type { CallPricing } from '#plugins/providers/contract/points.ts'
import { formatMicros } from '#schemas/values/money.ts'
import type { LimitSource } from '../contract/points.ts'
import type { BudgetsSettings } from '../contract/settings.ts'
import { costOfCall, pricesOfRoute, providersOf } from './price-table.ts'
import { ownNamespaces } from './spender.ts'

/** Prices calls in the same way as holds. */
export function createCallPricing(
  settings: Pick<BudgetsSettings, 'prices' | 'shippedPrices'>,
  sources: () => readonly LimitSource[],
): CallPricing {
  return {
    name: 'budgets',
    costOf: async ({ route, spender, provider, providerPrices, model, usage }) => {
      const namespaces = [route.namespace, ...providersOf(route).map(({ namespace }) => namespace)]
      const isOwn = await ownNamespaces(sources(), spender, namespaces)
      const providers = new Map(providerPrices === undefined ? [] : [[provider, providerPrices]])
      const prices = pricesOfRoute({ route, providers, isOwn }, settings)
      const served = prices.filter((one) => one.provider === provider && one.model === model)
      const [{ source = null, currency } = {}] = served
      if (source === null || currency === undefined) return undefined
      const cost = costOfCall(served, currency, { usage, provider, model })
      return cost === undefined ? undefined : { amount: formatMicros(cost), currency, price: source }
    },
  }
}
