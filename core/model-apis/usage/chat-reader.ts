import { isObject } from '../../json/is-object.ts'
import { readChatUsage } from './chat-usage.ts'
import { modelIn, parseObject } from './event-reader.ts'
import type { EventKind, EventReader } from './event-reader.ts'
import type { MessageUsage } from './message-usage.ts'

type Json = Readonly<Record<string, unknown>>

const doneMark = '[DONE]'
const reported = /"usage"(?!\s*:\s*null\b)/
const named = /"model"\s*:\s*"[^"]/

/** Creates a reader of chunks of a chat completion. */
export function createChatReader(): EventReader {
  let usage: MessageUsage | undefined
  let model: string | undefined
  let failed = false
  const readChunk = (chunk: Json): EventKind => {
    const isError = isFailure(chunk.error)
    model ??= modelIn(chunk)
    failed ||= isError
    // Counts grow: the last ones are those of the call.
    usage = readChatUsage(chunk.usage) ?? usage
    return !isError && isOnlyUsage(chunk) ? 'usage' : 'other'
  }
  return {
    isPlain(events) {
      if (events.includes(doneMark) || events.includes('"error"')) return false
      if (events.includes('"usage"') && reported.test(events)) return false
      return model !== undefined || !named.test(events)
    },
    read(data) {
      if (data === doneMark) return 'last'
      const chunk = parseObject(data)
      return chunk === undefined ? 'other' : readChunk(chunk)
    },
    usage: () => usage,
    model: () => model,
    failed: () => failed,
  }
}

function isFailure(error: unknown): boolean {
  return isObject(error) || (typeof error === 'string' && error !== '')
}

// True even if the counts are not numbers: the caller did not request this chunk.
function isOnlyUsage({ choices, usage }: Json): boolean {
  return Array.isArray(choices) && choices.length === 0 && (usage ?? null) !== null
}
