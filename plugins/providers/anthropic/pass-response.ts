import { createMessageReader } from '#core/model-apis/message-usage.ts'
import { createFrameSplitter, frameData, framesIn } from '#core/sse/stream-frames.ts'
import type { ResponseSink } from '../contract/adapter.ts'

/** The response of a provider on its way to the caller. */
export interface ProviderResponse {
  readonly sink: ResponseSink
  /** Ends a complete response. Rejects if it is not complete. */
  end(): Promise<void>
}

/** Passes a response as it is. Streams are passed in whole events, so that an error can follow one that breaks off. */
export function passResponse(sink: ResponseSink): ProviderResponse {
  const splitter = createFrameSplitter()
  const reader = createMessageReader()
  let isStream = false
  const pass = (frames: Buffer): void | Promise<void> => {
    if (frames.length === 0) return undefined
    for (const frame of framesIn(frames)) reader.data(frameData(frame) ?? '')
    return sink.data(frames)
  }
  return {
    sink: {
      head(status, contentType, retryAfter) {
        isStream = status >= 200 && status <= 299 && contentType.startsWith('text/event-stream')
        sink.head(status, contentType, retryAfter)
      },
      data: (chunk) => (isStream ? pass(splitter.push(chunk)) : sink.data(chunk)),
    },
    async end() {
      if (!isStream) return
      const rest = splitter.rest()
      reader.data(frameData(rest) ?? '')
      // A part of an event is not passed: what follows it could not be read.
      if (!reader.ended()) throw new Error('the stream has no message_stop')
      if (rest.length > 0) await sink.data(rest)
    },
  }
}
