import { parseMicros } from '#schemas/values/money.ts'
import type { ListPrice } from '#schemas/kinds/prices.ts'
import type { TargetPrice } from './price.ts'

/** A price and its source. */
export interface NamedPrice {
  readonly price: ListPrice
  /** Source of the price, with its version. */
  readonly source: string
  /** Whether the spender could have written the price. */
  readonly isOwn: boolean
}

const components = {
  input: 'inputPerMillion',
  cached: 'cachedInputPerMillion',
  cacheWrite: 'cacheWritePerMillion',
  cacheWrite1h: 'cacheWrite1hPerMillion',
  output: 'outputPerMillion',
  reasoning: 'reasoningPerMillion',
} as const

type Component = keyof typeof components
type Named = Partial<Record<Component, bigint>>
type Found = Omit<TargetPrice, 'provider' | 'model'>

/**
 * The price of a target, component by component: the first source that sets it, in the given order. A price that the spender could have written can
 * only raise it, in the same currency. It applies alone (`ownOnly`) if no other source sets a price. Pure.
 */
export function findPrice(named: readonly NamedPrice[]): Found {
  const others = merge(named.filter(({ isOwn }) => !isOwn))
  const own = merge(named.filter(({ isOwn }) => isOwn))
  if (others === undefined) return own === undefined ? { source: null } : { ...toFound(own), ownOnly: true }
  if (own === undefined || own.currency !== others.currency) return toFound(others)
  const full = derive(others.prices)
  const raised = keys.filter((key) => (own.prices[key] ?? 0n) > full[key])
  if (raised.length === 0) return toFound(others)
  const higher = Object.fromEntries(raised.map((key) => [key, own.prices[key]]))
  return toFound({ ...others, prices: { ...full, ...higher }, source: `${others.source}+${own.source}` })
}

const keys = Object.keys(components) as readonly Component[]

interface Merged {
  readonly currency: string
  readonly prices: Named
  readonly source: string
}

// Prices in several currencies are not mixed: the first price decides.
function merge(named: readonly NamedPrice[]): Merged | undefined {
  const [first] = named
  if (first === undefined) return undefined
  const currency = currencyOf(first)
  const prices: Named = {}
  for (const one of named.filter((other) => currencyOf(other) === currency))
    for (const key of keys) {
      const written = one.price[components[key]]
      if (written !== undefined) prices[key] ??= parseMicros(written)
    }
  return { currency, prices, source: first.source }
}

function currencyOf({ price }: NamedPrice): string {
  return price.currency ?? 'USD'
}

function derive(prices: Named): Record<Component, bigint> {
  const { input = 0n, output = 0n } = prices
  const { cached = input, cacheWrite = input, cacheWrite1h = cacheWrite, reasoning = output } = prices
  return { input, cached, cacheWrite, cacheWrite1h, output, reasoning }
}

function toFound({ currency, prices, source }: Merged): Found {
  const texts = Object.fromEntries(Object.entries(derive(prices)).map(([key, micros]) => [key, String(micros)]))
  return { source, currency, ...texts }
}
