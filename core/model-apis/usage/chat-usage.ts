import { isObject } from '../../json/is-object.ts'
import { isCount, readChatCacheWrites } from './message-usage.ts'
import type { MessageUsage } from './message-usage.ts'

/**
 * Reads `usage` of a chat completion or of embeddings, which have no output. Undefined for counts that are not numbers: the usage is then
 * unknown, not 0. Cached and written tokens are part of the input. Thoughts are part of the output: Gemini's endpoint has them in `total_tokens` only.
 */
export function readChatUsage(given: unknown): MessageUsage | undefined {
  if (!isObject(given)) return undefined
  const { prompt_tokens: inputTokens } = given
  // Some providers write null.
  const outputTokens = given.completion_tokens ?? 0
  if (!isCount(inputTokens) || !isCount(outputTokens)) return undefined
  const input = isObject(given.prompt_tokens_details) ? given.prompt_tokens_details : {}
  const output = isObject(given.completion_tokens_details) ? given.completion_tokens_details : {}
  const hidden = isCount(given.total_tokens) ? Math.max(0, given.total_tokens - inputTokens - outputTokens) : 0
  const reasoningTokens = isCount(output.reasoning_tokens) ? output.reasoning_tokens : 0
  return {
    inputTokens,
    outputTokens: outputTokens + hidden,
    cachedTokens: isCount(input.cached_tokens) ? input.cached_tokens : 0,
    reasoningTokens: Math.max(reasoningTokens, hidden),
    ...readChatCacheWrites(input),
  }
}
