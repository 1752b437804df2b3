import { isObject } from '../json/is-object.ts'

type Json = Readonly<Record<string, unknown>>

/** Tokens of the input that were written to a cache. Absent: none. */
export interface CacheWrites {
  /** Part of the input, apart from cached tokens, which were read. */
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
 * Reads `usage` of Anthropic's Messages API, where input, written to and read from the cache are counted apart. Undefined without counts:
 * a translated answer of a provider that reports none has zeros.
 */
export function readMessageUsage(given: unknown): MessageUsage | undefined {
  if (!isObject(given)) return undefined
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

function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0
}

/** Reads usage and end of a streamed message while its events are relayed. */
export interface MessageReader {
  /** The data of one event. Returns its type if the reader knows it. */
  data(text: string): 'message_start' | 'message_delta' | 'message_stop' | 'error' | undefined
  /** Undefined before the counts of the end. */
  usage(): MessageUsage | undefined
  /** Name of the model at the provider. */
  model(): string | undefined
  /** Whether the message is complete, or has ended with an error. */
  ended(): boolean
  failed(): boolean
}

const marks = ['message_start', 'message_delta', 'message_stop', '"error"'] as const

/** Creates a reader. Events without usage and end are not parsed. */
export function createMessageReader(): MessageReader {
  let counts: Json = {}
  let usage: MessageUsage | undefined
  let model: string | undefined
  let ended = false
  let failed = false
  // Counts of the end are totals; those that it has not are of the start.
  const add = (given: unknown): void => {
    if (isObject(given)) counts = { ...counts, ...Object.fromEntries(Object.entries(given).filter(hasValue)) }
  }
  return {
    data(text) {
      const event = marks.some((mark) => text.includes(mark)) ? parse(text) : undefined
      const type = event?.type
      if (type === 'message_start' && isObject(event?.message)) {
        add(event.message.usage)
        if (typeof event.message.model === 'string') model = event.message.model
      } else if (type === 'message_delta') {
        add(event?.usage)
        usage = readMessageUsage(counts)
      } else if (type === 'message_stop') ended = true
      else if (type === 'error') ended = failed = true
      else return undefined
      return type
    },
    usage: () => usage,
    model: () => model,
    ended: () => ended,
    failed: () => failed,
  }
}

function hasValue([, value]: readonly [string, unknown]): boolean {
  return value !== null && value !== undefined
}

function parse(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
