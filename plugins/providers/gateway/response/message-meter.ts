import { isObject } from '#core/json/is-object.ts'
import { createMessageReader, readMessageUsage } from '#core/model-apis/message-usage.ts'
import type { MessageUsage } from '#core/model-apis/message-usage.ts'
import { createSseParser } from '#core/sse/parser.ts'
import { meterWhole } from './usage-meter.ts'
import type { Counted, UsageMeter } from './usage-meter.ts'

/** Reads the usage of a response of Anthropic's Messages API, which is relayed unchanged. */
export function meterMessage(streamed: boolean): UsageMeter {
  return streamed ? meterEvents() : meterWhole(usageIn)
}

function meterEvents(): UsageMeter {
  const reader = createMessageReader()
  const parser = createSseParser(({ data }) => {
    reader.data(data)
  })
  return {
    pass(chunk) {
      parser.push(chunk)
      return chunk
    },
    counted: () => toCounted(reader.usage()),
  }
}

function usageIn(body: unknown): Counted {
  return toCounted(isObject(body) ? readMessageUsage(body.usage) : undefined)
}

function toCounted(usage: MessageUsage | undefined): Counted {
  return {
    usageReported: usage !== undefined,
    ...(usage ?? { inputTokens: 0, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0 }),
  }
}
