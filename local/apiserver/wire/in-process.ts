import { IncomingMessage, ServerResponse } from 'node:http'
import type { OutgoingHttpHeaders, RequestListener } from 'node:http'
import { Socket } from 'node:net'
import { Dispatcher } from 'undici'

/**
 * Dispatches calls of the same process without a socket, through the same handler: authentication, authorization and audit are those of a
 * connection. For complete responses only; watches and followed logs need a connection. Each call starts in its own turn of the event loop, so
 * that callers that never wait for the network do not starve the others.
 */
export class InProcessDispatcher extends Dispatcher {
  readonly #handle: RequestListener
  #closed = false

  constructor(handle: RequestListener) {
    super()
    this.#handle = handle
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const call = new InProcessCall(handler)
    handler.onRequestStart?.(call, undefined)
    setImmediate(() => {
      if (call.aborted) return
      if (this.#closed) return call.abort(socketError('ECONNREFUSED'))
      const request = toRequest(options)
      this.#handle(request, new InProcessResponse(request, call))
    })
    return true
  }

  override close(): Promise<void> {
    return this.destroy()
  }

  override destroy(): Promise<void> {
    this.#closed = true
    return Promise.resolve()
  }
}

/** One call; events after its end are ignored. */
class InProcessCall implements Dispatcher.DispatchController {
  readonly paused = false
  readonly #handler: Dispatcher.DispatchHandler
  #ended = false
  #reason: Error | null = null

  constructor(handler: Dispatcher.DispatchHandler) {
    this.#handler = handler
  }

  get aborted(): boolean {
    return this.#reason !== null
  }

  get reason(): Error | null {
    return this.#reason
  }

  abort(reason: Error): void {
    if (this.#ended) return
    this.#ended = true
    this.#reason = reason
    this.#handler.onResponseError?.(this, reason)
  }

  // The response is complete when it is delivered: nothing can be paused.
  pause(): void {}

  resume(): void {}

  answer(response: ServerResponse, pieces: readonly Buffer[]): void {
    if (this.#ended) return
    try {
      this.#handler.onResponseStart?.(this, response.statusCode, headersOf(response))
      for (const piece of pieces) this.#handler.onResponseData?.(this, piece)
      this.#ended = true
      this.#handler.onResponseEnd?.(this, {})
    } catch (error) {
      this.abort(error instanceof Error ? error : new Error(String(error)))
    }
  }
}

/** Collects the response and passes it to the call at its end. */
class InProcessResponse extends ServerResponse {
  readonly #call: InProcessCall
  readonly #pieces: Buffer[] = []

  constructor(request: IncomingMessage, call: InProcessCall) {
    super(request)
    this.#call = call
  }

  // Omits the text of a head, which costs as much as the rest of a small response. Nothing is sent before the end.
  override writeHead(status: number, headers: unknown): this {
    this.statusCode = status
    for (const [name, value = ''] of Object.entries(headers as OutgoingHttpHeaders)) this.setHeader(name, value)
    return this
  }

  override write(chunk: string | Uint8Array): boolean {
    this.#pieces.push(typeof chunk === 'string' ? Buffer.from(chunk) : toBuffer(chunk))
    return true
  }

  override end(chunk?: unknown): this {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) this.write(chunk)
    this.finished = true
    this.#call.answer(this, this.#pieces)
    this.emit('finish')
    this.emit('close')
    return this
  }

  override destroy(): this {
    this.#call.abort(socketError('ECONNRESET'))
    return super.destroy()
  }
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

// No call has a connection. One that is destroyed has no effects, and is shared: a Socket per call costs more than the request itself.
const noSocket = new Socket().destroy()

function toRequest({ method, path, headers, body }: Dispatcher.DispatchOptions): IncomingMessage {
  const request = new IncomingMessage(noSocket)
  request.method = method
  request.url = path
  for (const [name, value] of Object.entries(headers ?? {})) {
    request.headers[name.toLowerCase()] = value
    request.rawHeaders.push(name, String(value))
  }
  if (typeof body === 'string' || body instanceof Uint8Array) request.push(body)
  request.push(null)
  request.complete = true
  return request
}

function headersOf(response: ServerResponse): Record<string, string | string[]> {
  const given = Object.entries(response.getHeaders())
  return Object.fromEntries(given.map(([name, value = '']) => [name, Array.isArray(value) ? value : String(value)]))
}

// The error of a socket, so that callers handle it as a transport error.
function socketError(code: 'ECONNREFUSED' | 'ECONNRESET'): Error {
  return Object.assign(new Error(`the embedded API server: ${code}`), { code })
}
