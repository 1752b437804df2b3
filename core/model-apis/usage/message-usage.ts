import { isObject } from '../../json/is-object.ts'

/** Tokens of the input that were written to a cache. Absent: none. */
export interface CacheWrites {
  /** Part of the input; does not include cached tokens, which were read. */
  readonly cacheWriteTokens?: number
  /** Part of the written tokens, kept for an hour. */
  readonly cacheWrite1hTokens?: number
}

/** Counts without those that are 0. */
export function toCacheWrites(written: number, hour: number): CacheWrites {
  return {
    ...(written === 0 ? {} : { cacheWriteTokens: written }),
    ...(hour === 0 ? {} : { cacheWrite1hTokens: hour }),
  }
}

/** Reads the counts from `prompt_tokens_details` of a chat completion, where this gateway writes them; OpenAI has no such fields. */
export function readChatCacheWrites(details: unknown): CacheWrites {
  const { cache_write_tokens: written, cache_write_1h_tokens: hour } = Object(details) as Readonly<
    Record<string, unknown>
  >
  return toCacheWrites(countOf(written), countOf(hour))
}

/** The counts as fields of `prompt_tokens_details`. */
export function toChatCacheWrites({
  cacheWriteTokens,
  cacheWrite1hTokens,
}: CacheWrites): Readonly<Record<string, number>> {
  return {
    ...(cacheWriteTokens === undefined ? {} : { cache_write_tokens: cacheWriteTokens }),
    ...(cacheWrite1hTokens === undefined ? {} : { cache_write_1h_tokens: cacheWrite1hTokens }),
  }
}

/** Token counts of a message; cached and written tokens are part of the input, and reasoning tokens part of the output. */
export interface MessageUsage extends CacheWrites {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedTokens: number
  readonly reasoningTokens: number
}

/**
 * Reads `usage` of Anthropic's Messages API, which counts input, cache writes and cache reads separately. Undefined for counts that are not
 * numbers, and without counts: a translated response of a provider that reports none has zeros.
 */
export function readMessageUsage(given: unknown): MessageUsage | undefined {
  if (!isObject(given) || !addedCounts.every((name) => isCount(given[name] ?? 0))) return undefined
  const details = isObject(given.output_tokens_details) ? given.output_tokens_details : {}
  const cachedTokens = countOf(given.cache_read_input_tokens)
  const byTime = isObject(given.cache_creation) ? given.cache_creation : {}
  const hour = countOf(byTime.ephemeral_1h_input_tokens)
  const written = Math.max(countOf(given.cache_creation_input_tokens), countOf(byTime.ephemeral_5m_input_tokens) + hour)
  const inputTokens = countOf(given.input_tokens) + written + cachedTokens
  const outputTokens = countOf(given.output_tokens)
  if (inputTokens + outputTokens === 0) return undefined
  const reasoningTokens = countOf(details.thinking_tokens)
  return { inputTokens, outputTokens, cachedTokens, reasoningTokens, ...toCacheWrites(written, hour) }
}

// Counts that are added up. Others are parts of them.
const addedCounts = ['input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'] as const

/** Whether a value is a number of tokens. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function countOf(value: unknown): number {
  return isCount(value) ? value : 0
}
