import { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestListener } from 'node:http'
import { Socket } from 'node:net'
import { Dispatcher } from 'undici'

/**
 * Calls of the process that holds the server, without a socket: the same handler with the same bearer, so the same authentication,
 * authorization and audit line. For whole answers only; watches and followed logs go over a connection.
 * A call starts on a turn of its own, so that callers who never wait for the network cannot starve those who do.
 */
export class InProcessDispatcher extends Dispatcher {
  readonly #handle: RequestListener
  #closed = false

  constructor(handle: RequestListener) {
    super()
    this.#handle = handle
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const call = new InProcessCall(handler)
    handler.onRequestStart?.(call, undefined)
    setImmediate(() => {
      if (call.aborted) return
      if (this.#closed) return call.abort(refused())
      const request = toRequest(options)
      this.#handle(request, new InProcessResponse(request, call))
    })
    return true
  }

  // The same promise or callback forms as undici's, of which only the promises are used here.
  override close(): Promise<void> {
    return this.destroy()
  }

  override destroy(): Promise<void> {
    this.#closed = true
    return Promise.resolve()
  }
}

/** One call, as its caller controls it: what comes after an abort is dropped. */
class InProcessCall implements Dispatcher.DispatchController {
  aborted = false
  readonly paused = false
  readonly reason: Error | null = null
  readonly #handler: Dispatcher.DispatchHandler

  constructor(handler: Dispatcher.DispatchHandler) {
    this.#handler = handler
  }

  abort(reason: Error): void {
    if (this.aborted) return
    this.aborted = true
    this.#handler.onResponseError?.(this, reason)
  }

  pause(): void {}

  resume(): void {}

  answer(response: ServerResponse, pieces: readonly Buffer[]): void {
    if (this.aborted) return
    const headers = response.getHeaders() as Record<string, string | string[]>
    this.#handler.onResponseStart?.(this, response.statusCode, headers, response.statusMessage)
    for (const piece of pieces) this.#handler.onResponseData?.(this, piece)
    this.aborted = true
    this.#handler.onResponseEnd?.(this, {})
  }
}
