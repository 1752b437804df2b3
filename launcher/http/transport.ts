import { once } from 'node:events'
import type { EventEmitter } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerOptions, ServerResponse } from 'node:http'
import type { Http2Server, ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import { createServer as createTlsServer } from 'node:https'
import type { Server as TlsServer } from 'node:https'
import type { Server } from 'node:net'
import type { Duplex } from 'node:stream'
import { lingerOnClose } from '#core/net/linger-close.ts'
import type { Identity } from '../contract/identity.ts'

/** Serves one request. Responses of HTTP/2 have the interface of HTTP/1.1, without connection headers. */
export type Serve = (request: IncomingMessage, response: ServerResponse) => void

/** A server of one protocol. */
export interface Transport {
  readonly server: Server
  /** Closes each connection after its next response, so that no client writes to one when the listener closes. */
  drain(): void
  /** Closes the connection after a response to a request whose body is not read. */
  closeAfter(request: IncomingMessage, response: ServerResponse): void
  closeAll(): void
}

const maxHeaderBytes = 32 * 1024
const requestTimeoutMs = 60_000
// Timeout of an unfinished head, the same as in the listeners of the roles.
const headSeconds = 10

/** Receives a connection whose request Node's parser refused, with the parser's code. */
export type RefuseBroken = (code: string | undefined, socket: Duplex) => void

/** HTTP/1.1, with TLS if there is an identity. */
export function createHttp1(
  identity: Pick<Identity, 'follow'> | undefined,
  serve: Serve,
  refuseBroken: RefuseBroken,
): Transport {
  const limits = {
    maxHeaderSize: maxHeaderBytes,
    requestTimeout: requestTimeoutMs,
    headersTimeout: headSeconds * 1000,
    connectionsCheckingInterval: 2_000,
    // Node's own 400 has no body; the guard refuses these requests.
    requireHostHeader: false,
  }
  const server = identity === undefined ? createServer(limits) : createTls(limits, identity)
  // Node drops header fields above this number silently; the guard has to count them.
  server.maxHeadersCount = 0
  lingerOnClose(server)
  let draining = false
  server.on('request', (request, response) => {
    if (draining) response.setHeader('connection', 'close')
    serve(request, response)
  })
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => {
    if (code === 'ECONNRESET' || !socket.writable) socket.destroy()
    else refuseBroken(code, socket)
  })
  return {
    server,
    drain: () => {
      draining = true
    },
    closeAfter: (_, response) => {
      response.setHeader('connection', 'close')
    },
    closeAll: () => server.closeAllConnections(),
  }
}

function createTls(limits: ServerOptions, identity: Pick<Identity, 'follow'>): TlsServer {
  const minVersion = 'TLSv1.3'
  const server = createTlsServer({ ...limits, minVersion, handshakeTimeout: 5_000 })
  // A renewed certificate is used for later handshakes; open connections stay authenticated.
  identity.follow((tls) => server.setSecureContext({ ...tls, minVersion }))
  return server
}

/** HTTP/2 without TLS. */
export function createHttp2(serve: Serve): Transport {
  // Not imported: a launcher without such a port does not load the module.
  const { createServer: createHttp2Server } = process.getBuiltinModule('node:http2')
  const settings = { maxConcurrentStreams: 100, maxHeaderListSize: maxHeaderBytes }
  const server: Http2Server = createHttp2Server({ settings, maxSessionMemory: 10 })
  const sessions = new Set<ServerHttp2Session>()
  let draining = false
  server.on('session', (session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
    // Until its first request only: clients keep idle sessions.
    session.setTimeout(headSeconds * 1000, () => session.destroy())
    session.once('stream', () => session.setTimeout(requestTimeoutMs, () => session.close()))
    // A broken session closes its connection, not the process.
    session.on('error', () => session.destroy())
    if (draining) session.close()
  })
  // Requests and responses have the interface of HTTP/1.1, which the server's types do not express.
  const requests: EventEmitter = server
  requests.on('request', (request: IncomingMessage, response: ServerResponse) => {
    serve(request, response)
  })
  return {
    server,
    drain: () => {
      draining = true
      for (const session of sessions) session.close()
    },
    closeAfter: (request) => {
      const stream = http2StreamOf(request)
      // The response itself has finished only when the stream is closed, if the request was read.
      stream?.once('finish', () => stream.close())
    },
    closeAll: () => {
      for (const session of sessions) session.destroy()
    },
  }
}

/** The stream of a request of HTTP/2; undefined for HTTP/1.1. */
export function http2StreamOf(request: IncomingMessage): ServerHttp2Stream | undefined {
  return 'stream' in request ? (request.stream as ServerHttp2Stream) : undefined
}

/** Binds a server and returns its port. */
export async function bind(server: Server, port: number, address: string): Promise<number> {
  server.listen(port, address)
  await once(server, 'listening')
  const bound = server.address()
  return typeof bound === 'object' && bound !== null ? bound.port : port
}
