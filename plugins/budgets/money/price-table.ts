import type { ModelRouteSpec } from '#schemas/crds/model-route.ts'
import type { BudgetsSettings } from '../settings.ts'
import { formatMicros, parseMicros } from '#schemas/money.ts'
import { costOf, mostOf } from './price.ts'
import type { TokenPrices, TokenUsage } from './price.ts'
import { SHIPPED_VERSION, shippedPriceOf } from './shipped-prices.ts'

/** The price of one provider of a route, as it was when a call was admitted. Stored with the hold. */
export interface TargetPrice {
  /** `namespace/name`. */
  readonly provider: string
  readonly model: string
  /** Where the price comes from, with its version; null if the price is unknown. */
  readonly source: string | null
  readonly currency?: string
  /** Micro-units per million tokens, as text. */
  readonly input?: string
  readonly cached?: string
  /** Absent in holds of before: as input. */
  readonly cacheWrite?: string
  readonly cacheWrite1h?: string
  readonly output?: string
  readonly reasoning?: string
}

/** A price as routes and settings write it: decimal text per million tokens. */
interface ListPrice {
  readonly currency?: string
  readonly inputPerMillion: string
  readonly outputPerMillion: string
  readonly cachedInputPerMillion?: string
  readonly cacheWritePerMillion?: string
  readonly cacheWrite1hPerMillion?: string
  readonly reasoningPerMillion?: string
}

/** What prices depend on in a route. */
export interface PricedRouteObject {
  readonly metadata: { readonly namespace?: string; readonly generation?: number }
  readonly spec: ModelRouteSpec
}

/** Prices of each provider of a route: those of the route, else of the settings, else of the shipped table. */
export function pricesOfRoute(
  { metadata, spec }: PricedRouteObject,
  settings: Pick<BudgetsSettings, 'prices' | 'shippedPrices'>,
): readonly TargetPrice[] {
  const { providerRef, model, prices, fallbacks = [] } = spec
  return [{ providerRef, model, prices }, ...fallbacks].map((target) => {
    const { name, namespace = metadata.namespace ?? '' } = target.providerRef
    const own = { provider: `${namespace}/${name}`, model: target.model }
    const found = find(target, metadata.generation ?? 0, settings)
    return { ...own, ...(found === undefined ? { source: null } : toTarget(found.price, found.source)) }
  })
}

function find(
  { model, prices }: { readonly model: string; readonly prices?: ListPrice | undefined },
  generation: number,
  settings: Pick<BudgetsSettings, 'prices' | 'shippedPrices'>,
): { readonly price: ListPrice; readonly source: string } | undefined {
  if (prices !== undefined) return { price: prices, source: `route@${generation}` }
  const configured = settings.prices.find((one) => one.model === model)
  if (configured !== undefined) return { price: configured, source: 'settings' }
  const shipped = settings.shippedPrices ? shippedPriceOf(model) : undefined
  return shipped === undefined ? undefined : { price: shipped, source: `shipped@${SHIPPED_VERSION}` }
}

function toTarget(price: ListPrice, source: string): Omit<TargetPrice, 'provider' | 'model'> {
  const { currency = 'USD', inputPerMillion: input, outputPerMillion: output, cacheWritePerMillion = input } = price
  const micros = (text: string): string => String(parseMicros(text))
  return {
    source,
    currency,
    input: micros(input),
    cached: micros(price.cachedInputPerMillion ?? input),
    cacheWrite: micros(cacheWritePerMillion),
    cacheWrite1h: micros(price.cacheWrite1hPerMillion ?? cacheWritePerMillion),
    output: micros(output),
    reasoning: micros(price.reasoningPerMillion ?? output),
  }
}

/** The most that a call through the route can cost in a currency, whichever provider serves it; `known` is false if one has no price in it. */
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

/** Money as in answers. */
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
