import { createServer as createHttp } from 'node:http'
import type { RequestListener } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { createServer as createNet } from 'node:net'
import type { Socket } from 'node:net'
import { respondToBroken } from './broken-request.ts'
import type { Certificate } from './certificate.ts'
import { lingerOnClose } from './linger-close.ts'

/** A listener for HTTP and HTTPS on one port. */
export interface Listener {
  listen(host: string, port: number): Promise<number>
  /** Waits one second for requests to finish, then closes all connections. */
  close(): Promise<void>
}

const TLS_HANDSHAKE = 0x16
const CLOSE_GRACE_MS = 1_000

const METHOD_NOT_ALLOWED = 'HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'

/** Timeouts of a client, in milliseconds. */
export interface ListenerLimits {
  /** Timeout for the first byte of a connection, the TLS handshake, and the head of each request. */
  readonly headMs: number
  /** Timeout for a whole request, head and body. */
  readonly requestMs: number
}

const LIMITS: ListenerLimits = { headMs: 10_000, requestMs: 30_000 }

/** Serves HTTP and HTTPS on one port: the first byte of a connection selects the protocol. */
export function createListener(
  certificate: Certificate,
  handler: RequestListener,
  { headMs, requestMs }: ListenerLimits = LIMITS,
): Listener {
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
  const limits = {
    keepAliveTimeout: 60_000,
    maxHeaderSize: 64 * 1024,
    headersTimeout: headMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: Math.min(5_000, headMs),
  }
  const plain = createHttp(limits, tracked)
  const secure = createHttps(
    { ...limits, handshakeTimeout: headMs, key: certificate.key, cert: certificate.certificate },
    tracked,
  )
  for (const server of [plain, secure]) {
    lingerOnClose(server)
    // Neither server listens: this event starts Node's timers for unfinished requests.
    server.emit('listening')
    server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => respondToBroken(code, socket))
    server.on('connect', (_request, socket) => socket.end(METHOD_NOT_ALLOWED))
  }
  // Node tracks the connections of listening servers only; these are tracked here.
  secure.on('secureConnection', track)
  secure.on('tlsClientError', (_error, socket) => socket.destroy())
  const front = createNet({ noDelay: true }, (socket) => {
    track(socket)
    const silent = setTimeout(() => socket.destroy(), headMs).unref()
    socket.once('close', () => clearTimeout(silent))
    socket.once('readable', () => {
      clearTimeout(silent)
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
      for (const server of [plain, secure]) server.close()
      for (const socket of open) if (!busy.has(socket)) socket.destroy()
      const cut = setTimeout(() => open.forEach((socket) => socket.destroy()), CLOSE_GRACE_MS)
      await promise
      clearTimeout(cut)
    },
  }
}
