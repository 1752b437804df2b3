import type { CacheWrites, MessageUsage } from '#core/model-apis/usage/message-usage.ts'
import type { MeteredModelCall } from '../../contract/events.ts'

/** Token counts of a response; `usageReported` is false if the provider reported none. */
export type Counted = Pick<
  MeteredModelCall,
  'usageReported' | 'inputTokens' | 'outputTokens' | 'cachedTokens' | 'reasoningTokens'
> &
  CacheWrites

const nothing: Counted = { usageReported: false, inputTokens: 0, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0 }

/** Counts for an event, which has numbers even if no usage was reported. */
export function toCounted(usage: MessageUsage | undefined): Counted {
  return usage === undefined ? nothing : { usageReported: true, ...usage }
}
