import type { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

// Maximum part of an unread body that is dropped before its connection is closed.
const DROPPED_BYTES = 128 * 1024 * 1024
const LINGER_MS = 10_000

const CHECK_MS = 100

/**
 * Closes connections with an unread body late: after the response the server sends FIN, and drops what still arrives. Closing immediately
 * resets the connection, so that a client in the middle of its body gets EPIPE instead of the 413. This package imports nothing of the
 * platform, which has the same function (ADR 0189).
 */
export function lingerOnClose(server: EventEmitter): void {
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
      else linger(socket)
    }
  })
}

/** Writes the last response of a connection whose client is still in the middle of its header fields, and drops what still arrives. */
export function respondAndLinger(socket: Socket, response: string): void {
  socket.write(response)
  linger(socket)
}

function linger(socket: Socket): void {
  const before = socket.bytesRead
  const destroy = (): void => {
    socket.destroy()
  }
  const late = setTimeout(destroy, LINGER_MS).unref()
  const check = setInterval(() => socket.bytesRead - before > DROPPED_BYTES && destroy(), CHECK_MS).unref()
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
