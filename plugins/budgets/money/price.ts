import type { CacheWrites } from '#core/model-apis/usage/message-usage.ts'
import { MAX_MICROS } from '#schemas/values/money.ts'

/** Prices of a model, in micro-units per million tokens. */
export interface TokenPrices {
  readonly input: bigint
  readonly cached: bigint
  /** Price of tokens written to a cache. */
  readonly cacheWrite: bigint
  /** Price of tokens written to a cache for an hour. */
  readonly cacheWrite1h: bigint
  readonly output: bigint
  readonly reasoning: bigint
}

/** The price of one provider of a route, at the time when a call was admitted. Stored with the hold. */
export interface TargetPrice {
  /** `namespace/name`. */
  readonly provider: string
  readonly model: string
  /** Source of the price, with its version; null if the price is unknown. */
  readonly source: string | null
  /** Only the spender sets the price. */
  readonly ownOnly?: true
  readonly currency?: string
  /** Micro-units per million tokens, as a decimal string. */
  readonly input?: string
  readonly cached?: string
  /** Absent in holds of earlier versions: then the input price applies. */
  readonly cacheWrite?: string
  readonly cacheWrite1h?: string
  readonly output?: string
  readonly reasoning?: string
}

/** Tokens of a call. Cached and written tokens are part of the input, reasoning tokens of the output, as in OpenAI's API. */
export interface TokenUsage extends CacheWrites {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedTokens: number
  readonly reasoningTokens: number
}

const PER_PRICE = 1_000_000n
const MAX_TOKENS = 10_000_000_000

/** Cost of a call in micro-units, rounded up. Counts are clamped: they come from providers. */
export function costOf(prices: TokenPrices, usage: TokenUsage): bigint {
  const input = toCount(usage.inputTokens)
  const output = toCount(usage.outputTokens)
  const cached = least(toCount(usage.cachedTokens), input)
  const written = least(toCount(usage.cacheWriteTokens ?? 0), input - cached)
  const hour = least(toCount(usage.cacheWrite1hTokens ?? 0), written)
  const reasoning = least(toCount(usage.reasoningTokens), output)
  const total =
    (input - cached - written) * prices.input +
    cached * prices.cached +
    (written - hour) * prices.cacheWrite +
    hour * prices.cacheWrite1h +
    (output - reasoning) * prices.output +
    reasoning * prices.reasoning
  return least((total + PER_PRICE - 1n) / PER_PRICE, MAX_MICROS)
}

/** Maximum cost of a call with these bounds, regardless of cached, written or reasoning tokens. */
export function mostOf(prices: TokenPrices, bounds: { readonly input: number; readonly output: number }): bigint {
  const dearest = {
    input: [prices.cached, prices.cacheWrite, prices.cacheWrite1h].reduce(most, prices.input),
    cached: 0n,
    cacheWrite: 0n,
    cacheWrite1h: 0n,
    output: most(prices.output, prices.reasoning),
    reasoning: 0n,
  }
  const { input: inputTokens, output: outputTokens } = bounds
  return costOf(dearest, { inputTokens, outputTokens, cachedTokens: 0, reasoningTokens: 0 })
}

function toCount(tokens: number): bigint {
  return Number.isFinite(tokens) ? BigInt(Math.min(Math.max(Math.ceil(tokens), 0), MAX_TOKENS)) : 0n
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function most(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
