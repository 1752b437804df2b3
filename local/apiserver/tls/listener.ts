import { createServer as createHttp } from 'node:http'
import type { RequestListener, Server as HttpServer } from 'node:http'
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
  const plain = createHttp(HEADERS, handler)
  const secure = createHttps({ ...HEADERS, key: certificate.key, cert: certificate.certificate }, handler)
  const waiting = new Set<Socket>()
  const front = createNet({ noDelay: true, pauseOnConnect: false }, (socket) => {
    waiting.add(socket)
    socket.once('close', () => waiting.delete(socket))
    socket.on('error', () => socket.destroy())
    socket.once('readable', () => {
      waiting.delete(socket)
      const first: Buffer | null = socket.read(1)
      if (!first) return
      socket.unshift(first)
      const server: HttpServer | typeof secure = first[0] === TLS_HANDSHAKE ? secure : plain
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
      const { promise, resolve } = Promise.withResolvers<void>()
      front.close(() => resolve())
      for (const socket of waiting) socket.destroy()
      for (const server of [plain, secure]) server.closeIdleConnections()
      const cut = setTimeout(() => {
        for (const server of [plain, secure]) server.closeAllConnections()
      }, CLOSE_GRACE_MS)
      await promise
      clearTimeout(cut)
    },
  }
}
