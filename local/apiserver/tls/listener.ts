import { createServer as createHttp } from 'node:http'
import type { RequestListener } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { createServer as createNet } from 'node:net'
import type { Socket } from 'node:net'
import type { Certificate } from './certificate.ts'

/** A listener that speaks HTTP and HTTPS on one port. */
export interface Listener {
  listen(host: string, port: number): Promise<number>
  /** Lets requests finish for a second, then cuts what is left. */
  close(): Promise<void>
}

const TLS_HANDSHAKE = 0x16
const HEADERS = { keepAliveTimeout: 60_000, maxHeaderSize: 64 * 1024 }
const CLOSE_GRACE_MS = 1_000

/** Serves `handler` on one port to both: the first byte of a connection says which protocol it speaks. */
export function createListener(certificate: Certificate, handler: RequestListener): Listener {
  const open = new Set<Socket>()
  const busy = new Map<Socket, number>()
  let closing = false
  const track = (socket: Socket) => {
    open.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => open.delete(socket))
  }
  const tracked: RequestListener = (request, response) => {
    const { socket } = request
    busy.set(socket, (busy.get(socket) ?? 0) + 1)
    response.once('close', () => {
      const left = (busy.get(socket) ?? 1) - 1
      if (left > 0) busy.set(socket, left)
      else busy.delete(socket)
      if (closing && left <= 0) socket.end()
    })
    handler(request, response)
  }
  const plain = createHttp(HEADERS, tracked)
  const secure = createHttps({ ...HEADERS, key: certificate.key, cert: certificate.certificate }, tracked)
  // Neither server listens itself, so Node tracks none of their connections: a close has to know them here.
  secure.on('secureConnection', track)
  secure.on('tlsClientError', (_error, socket) => socket.destroy())
  const front = createNet({ noDelay: true }, (socket) => {
    track(socket)
    socket.once('readable', () => {
      const first: Buffer | null = socket.read(1)
      if (!first) return
      socket.unshift(first)
      const server = first[0] === TLS_HANDSHAKE ? secure : plain
      if (server === secure) open.delete(socket) // the TLS socket around it stands for it
      server.emit('connection', socket)
    })
  })
  return {
    listen(host, port) {
      const { promise, resolve, reject } = Promise.withResolvers<number>()
      front.once('error', reject)
      front.listen(port, host, () => {
        const address = front.address()
        resolve(typeof address === 'object' && address ? address.port : port)
      })
      return promise
    },
    async close() {
      closing = true
      const { promise, resolve } = Promise.withResolvers<void>()
      front.close(() => resolve())
      for (const socket of open) if (!busy.has(socket)) socket.destroy()
      const cut = setTimeout(() => open.forEach((socket) => socket.destroy()), CLOSE_GRACE_MS)
      await promise
      clearTimeout(cut)
    },
  }
}
