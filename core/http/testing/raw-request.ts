import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'

/** A connection that sends bytes as they are and keeps what comes back. */
export interface RawRequest {
  readonly socket: Socket
  /** Everything that came so far. */
  text(): string
  /** Resolves with the status of the answer; rejects when the connection ends without one. */
  readonly status: Promise<number>
  readonly closed: Promise<unknown>
}

/** Opens a connection to a loopback port and sends a head (lines by `\n`) and the beginning of a body. */
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
