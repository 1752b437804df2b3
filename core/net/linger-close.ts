import type { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** Maximum part of an unread body that is dropped before its connection is closed. */
export interface LingerBounds {
  readonly bytes: number
  readonly seconds: number
}

// Dropped bytes cost less than a refused request. Most clients write all of a body before they read the response.
const defaults: LingerBounds = { bytes: 128 * 1024 * 1024, seconds: 10 }

const CHECK_MS = 100

/**
 * Closes connections with an unread body late: after the response the server sends FIN, and drops what still arrives. Closing immediately resets
 * the connection, so that a client in the middle of its body gets EPIPE, and the kernel may discard the response.
 */
export function lingerOnClose(server: EventEmitter, bounds: LingerBounds = defaults): void {
  const current = new WeakMap<Socket, IncomingMessage>()
  server.prependListener('request', (request: IncomingMessage) => {
    const { socket } = request
    const isKnown = current.has(socket)
    current.set(socket, request)
    if (isKnown) return
    // Node calls this after the last response of a connection.
    const closeNow = socket.destroySoon.bind(socket)
    socket.destroySoon = () => {
      const isRead = current.get(socket)?.complete ?? true
      if (isRead || socket.destroyed) closeNow()
      else linger(socket, bounds)
    }
  })
}

/**
 * Writes the last response of a connection whose client is still in the middle of its header fields, and drops what still arrives. Node's
 * parser reports its error again with each further piece, and a close at that time resets the connection.
 */
export function respondAndLinger(socket: Duplex, response: string): void {
  socket.write(response)
  if (socket instanceof Socket) linger(socket, defaults)
  else socket.end()
}

function linger(socket: Socket, { bytes, seconds }: LingerBounds): void {
  const before = socket.bytesRead
  const destroy = (): void => {
    socket.destroy()
  }
  const late = setTimeout(destroy, seconds * 1_000).unref()
  const check = setInterval(() => socket.bytesRead - before > bytes && destroy(), CHECK_MS).unref()
  socket.once('end', destroy).once('close', () => {
    clearTimeout(late)
    clearInterval(check)
  })
  // Detached from the parser: a request that follows the body must not be served on a closed connection.
  socket.removeAllListeners('data')
  socket.on('data', () => undefined)
  socket.resume()
  // The parser stopped the handle when the request was full, which the stream does not know.
  socket._read(0)
  socket.end()
}
