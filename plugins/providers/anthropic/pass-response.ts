import { createStreamMeter } from '#core/model-apis/usage/stream-meter.ts'
import type { ResponseSink } from '../contract/adapter.ts'

/** The response of a provider on its way to the caller. */
export interface ProviderResponse {
  readonly sink: ResponseSink
  /** Ends a complete response. Rejects if the response is incomplete. */
  end(): Promise<void>
}

/** Passes a response unchanged. Streams are passed in whole events, so that an error event can follow if the stream breaks off. */
export function passResponse(sink: ResponseSink): ProviderResponse {
  const meter = createStreamMeter({ api: 'messages', relays: 'events', estimates: false })
  let isStream = false
  const pass = (events: Buffer): void | Promise<void> => (events.length === 0 ? undefined : sink.data(events))
  return {
    sink: {
      head(status, contentType, retryAfter) {
        isStream = status >= 200 && status <= 299 && contentType.startsWith('text/event-stream')
        sink.head(status, contentType, retryAfter)
      },
      data: (chunk) => (isStream ? pass(meter.pass(chunk)) : sink.data(chunk)),
    },
    async end() {
      if (!isStream) return
      const rest = meter.end()
      // A partial event is not passed: an event after it could not be parsed.
      if (meter.last().length === 0 && !meter.failed()) throw new Error('the stream has no message_stop')
      await pass(rest)
    },
  }
}
