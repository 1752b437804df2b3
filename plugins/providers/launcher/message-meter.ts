import { createMessageReader } from '#core/model-apis/message-usage.ts'
import { createTokenCount } from '#core/model-apis/token-count.ts'
import { frameData, framesIn } from '#core/sse/stream-frames.ts'
import type { StreamMeter } from './stream-meter.ts'

/** Creates a meter of a streamed message of Anthropic's API, whose events are relayed as they are. */
export function createMessageMeter(): StreamMeter {
  const reader = createMessageReader()
  const seen = createTokenCount()
  let done: Buffer = Buffer.alloc(0)
  return {
    pass(whole) {
      seen.add(whole)
      const passed: Buffer[] = []
      for (const frame of framesIn(whole))
        if (reader.data(frameData(frame) ?? '') === 'message_stop') done = Buffer.from(frame)
        else passed.push(frame)
      return passed.length === 1 ? (passed[0] ?? whole) : Buffer.concat(passed)
    },
    usage: () => reader.usage() ?? null,
    seenTokens: seen.tokens,
    model: reader.model,
    done: () => done,
    failed: reader.failed,
  }
}
