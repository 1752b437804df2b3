import type { ModelRouteSpec } from '#schemas/crds/model-route.ts'
import { everyTargetOf, providerOfTarget } from '#schemas/crds/route-targets.ts'
import type { BudgetsSettings } from '../contract/settings.ts'
import { formatMicros } from '#schemas/values/money.ts'
import type { ListPrice, ModelPrice } from '#schemas/kinds/prices.ts'
import { findPrice } from './find-price.ts'
import type { NamedPrice } from './find-price.ts'
import { costOf, mostOf } from './price.ts'
import type { TargetPrice, TokenPrices, TokenUsage } from './price.ts'
import type { IsOwn } from './spender.ts'
import { SHIPPED_VERSION, shippedPriceOf } from './shipped-prices.ts'

/** Prices of a provider object, with its version. */
export interface ProviderPrices {
  readonly generation: number
  readonly prices: readonly ModelPrice[]
}

/** Data on which the price of a call depends. */
export interface PricedCall {
  readonly route: { readonly namespace: string; readonly generation: number; readonly spec: ModelRouteSpec }
  /** By `namespace/name`. */
  readonly providers: ReadonlyMap<string, ProviderPrices>
  readonly isOwn: IsOwn
}

/** Lists the providers of a route. */
export function providersOf({ namespace, spec }: Pick<PricedCall['route'], 'namespace' | 'spec'>) {
  return everyTargetOf(spec).map((target) => providerOfTarget(target, namespace))
}

/** Prices of each provider of a route, as they apply to its spender: see {@link findPrice}. */
export function pricesOfRoute(call: PricedCall, settings: PriceSettings): readonly TargetPrice[] {
  const { namespace: own, spec } = call.route
  return everyTargetOf(spec).map((target) => {
    const { model, prices } = target
    const { namespace, name } = providerOfTarget(target, own)
    const provider = `${namespace}/${name}`
    return { provider, model, ...findPrice(namedPrices(call, { namespace, provider, model, prices }, settings)) }
  })
}

type PriceSettings = Pick<BudgetsSettings, 'prices' | 'shippedPrices'>

interface Target {
  readonly namespace: string
  readonly provider: string
  readonly model: string
  readonly prices: ListPrice | undefined
}

function namedPrices(
  { route, providers, isOwn }: PricedCall,
  { namespace, provider, model, prices }: Target,
  settings: PriceSettings,
): readonly NamedPrice[] {
  const of = providers.get(provider)
  const configured = settings.prices.find((one) => one.model === model)
  const served = of?.prices.find((one) => one.model === model)
  const shipped = settings.shippedPrices ? shippedPriceOf(model) : undefined
  const named = (price: ListPrice | undefined, source: string, own: boolean): readonly NamedPrice[] =>
    price === undefined ? [] : [{ price, source, isOwn: own }]
  return [
    ...named(configured, 'settings', false),
    ...named(prices, `route@${route.generation}`, isOwn(route.namespace)),
    ...named(served, `provider@${of?.generation ?? 0}`, isOwn(namespace)),
    ...named(shipped, `shipped@${SHIPPED_VERSION}`, false),
  ]
}

/** The maximum cost of a call through the route in a currency, over all its providers. `known` is false if a provider has no price in it. */
export function mostOfRoute(
  prices: readonly TargetPrice[],
  currency: string,
  bounds: { readonly input: number; readonly output: number },
): { readonly amount: bigint; readonly known: boolean } {
  const costs = prices.map((price) => {
    const tokens = tokenPricesOf(price, currency)
    return tokens === undefined ? undefined : mostOf(tokens, bounds)
  })
  const known = costs.filter((cost) => cost !== undefined)
  return { amount: greatest(known), known: known.length === costs.length }
}

/** Cost of a call in the currency of its hold; undefined if the price of the provider that served it is unknown. */
export function costOfCall(
  prices: readonly TargetPrice[],
  currency: string,
  {
    usage,
    provider,
    model,
  }: { readonly usage: TokenUsage; readonly provider: string | null; readonly model?: string | undefined },
): bigint | undefined {
  const served = prices.filter((one) => one.provider === provider && (model === undefined || one.model === model))
  const candidates = served.length === 0 ? prices : served
  const costs = candidates.map((price) => {
    const tokens = tokenPricesOf(price, currency)
    return tokens === undefined ? undefined : costOf(tokens, usage)
  })
  return costs.includes(undefined) ? undefined : greatest(costs.filter((cost) => cost !== undefined))
}

/** Formats money for responses. */
export function toMoney(micros: bigint, currency: string): { readonly amount: string; readonly currency: string } {
  return { amount: formatMicros(micros), currency }
}

function tokenPricesOf(price: TargetPrice, currency: string): TokenPrices | undefined {
  const { input, cached, output, reasoning } = price
  if (price.currency !== currency || input === undefined || cached === undefined) return undefined
  if (output === undefined || reasoning === undefined) return undefined
  const { cacheWrite = input, cacheWrite1h = cacheWrite } = price
  return {
    input: BigInt(input),
    cached: BigInt(cached),
    cacheWrite: BigInt(cacheWrite),
    cacheWrite1h: BigInt(cacheWrite1h),
    output: BigInt(output),
    reasoning: BigInt(reasoning),
  }
}

function greatest(costs: readonly bigint[]): bigint {
  return costs.reduce((most, cost) => (cost > most ? cost : most), 0n)
}
