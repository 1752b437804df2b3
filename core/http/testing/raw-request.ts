import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'

/** A connection that sends raw bytes and keeps the response. */
export interface RawRequest {
  readonly socket: Socket
  /** Everything received so far. */
  text(): string
  /** Resolves with the status of the response; rejects if the connection closes without one. */
  readonly status: Promise<number>
  readonly closed: Promise<unknown>
}

/**
 * Connects to a loopback port and sends a head (lines separated by `
 * `) and the beginning of a body.
 */
export function sendRaw(port: number, head: string, body = ''): RawRequest {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  let text = ''
  const status = Promise.withResolvers<number>()
  socket.on('data', (chunk: string) => {
    text += chunk
    const found = /^HTTP\/1.1 (\d+)/.exec(text)?.[1]
    if (found !== undefined) status.resolve(Number(found))
  })
  socket.on('error', () => undefined)
  const closed = once(socket, 'close').then(() => status.reject(new Error('closed without an answer')))
  status.promise.catch(() => undefined)
  socket.write(`${head.replaceAll('\n', '\r\n')}\r\n\r\n${body}`)
  return { socket, text: () => text, status: status.promise, closed }
}
