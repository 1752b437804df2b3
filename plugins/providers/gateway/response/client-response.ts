import type { ServerResponse } from 'node:http'
import { createStreamMeter } from '#core/model-apis/usage/stream-meter.ts'
import type { StreamMeter } from '#core/model-apis/usage/stream-meter.ts'
import type { ResponseSink } from '../../contract/adapter.ts'
import type { CallerApi } from '../request/caller-api.ts'
import { callErrorOf } from '../errors/gateway-error.ts'
import { createResponseTranslator, holdWhole } from './translate-response.ts'
import type { ResponseTranslator } from './translate-response.ts'

/** The client's side of a streamed response. */
export interface ClientResponse extends ResponseSink {
  readonly committed: () => boolean
  /** Milliseconds from the request to the response headers; undefined before them. */
  readonly firstByteMs: () => number | undefined
  /** Throws `GatewayError` before the first byte, if the response cannot be translated. */
  end(): void
  /** Ends an incomplete response: a stream with an error event, anything else by closing the connection. */
  breakOff(error: unknown): void
}

/** Target of the response. `take` is called once, before the headers are written; the framework no longer owns the response then. */
export interface ClientResponseOptions {
  readonly response: ServerResponse
  readonly api: CallerApi
  readonly headers: Readonly<Record<string, string | number | string[] | undefined>>
  readonly startedAt: number
  /** Removes the usage, which the client did not request, from a stream of chat completions. */
  readonly hidesUsage?: boolean
  /** Sends a document when it is complete, so that headers may be set until then. */
  readonly isWhole?: boolean
  readonly take: () => void
}

const nothing = Buffer.alloc(0)
const withoutUsage = { api: 'chat', relays: 'events', hidesUsage: true, estimates: false } as const

/** Writes the response with back-pressure: a slow client slows down the provider instead of filling memory. */
export function createClientResponse(options: ClientResponseOptions): ClientResponse {
  const { response, api } = options
  let hiding: StreamMeter | undefined
  let translator: ResponseTranslator | undefined
  let committed = false
  let status = 200
  let streamed = false
  let firstByteMs: number | undefined
  let corked = false
  // Writes of one event loop turn (head, frames, end) are one write to the socket instead of a system call each.
  const cork = (): void => {
    if (corked) return
    corked = true
    response.cork()
    process.nextTick(() => {
      corked = false
      response.uncork()
    })
  }
  const open = (): void => {
    committed = true
    options.take()
    cork()
    response.writeHead(status, {
      ...options.headers,
      'content-type': streamed ? 'text/event-stream' : 'application/json',
      ...(streamed ? { 'cache-control': 'no-store' } : {}),
    })
    response.flushHeaders()
  }
  return {
    committed: () => committed,
    firstByteMs: () => firstByteMs,
    head(given, contentType) {
      status = given
      firstByteMs = Math.round(performance.now() - options.startedAt)
      streamed = contentType.startsWith('text/event-stream')
      if (streamed && options.hidesUsage === true) hiding = createStreamMeter(withoutUsage)
      translator =
        createResponseTranslator(api, streamed) ?? (options.isWhole === true && !streamed ? holdWhole() : undefined)
      // A document is translated when it is complete, and may fail until then.
      if (translator === undefined || streamed) open()
    },
    data(chunk) {
      const passed = hiding?.pass(chunk) ?? chunk
      const bytes = translator?.push(passed) ?? passed
      if (bytes.length === 0) return undefined
      cork()
      return response.write(bytes) || response.destroyed ? undefined : drained(response)
    },
    end() {
      const held = hiding?.end() ?? nothing
      const rest = translator === undefined ? held : Buffer.concat([translator.push(held), translator.end()])
      if (!committed) open()
      response.end(rest)
    },
    breakOff(error) {
      if (streamed && !response.destroyed) response.end(api.errors.frame(callErrorOf(error)))
      else response.destroy()
    },
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => {
      response.off('drain', over)
      response.off('close', over)
      resolve()
    }
    response.on('drain', over)
    response.on('close', over)
  })
}
