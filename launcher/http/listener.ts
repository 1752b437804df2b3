import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from '#core/log/logger.ts'
import type { TlsIdentity } from './certificate.ts'
import { guard } from './guard.ts'
import { Refusal, refusals } from './refusal.ts'
import type { RefusalCode } from './refusal.ts'

/** A request with the parameters of its route. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
}

/** A route; `:name` in the pattern matches one segment. */
export interface Route {
  readonly method: 'GET' | 'POST'
  readonly pattern: string
  handle(exchange: Exchange): Promise<void> | void
}

/** Options of `listen`. */
export interface ListenerOptions {
  readonly name: string
  readonly bind: string
  readonly port: number
  readonly hosts?: readonly string[]
  readonly bodyLimit: number
  readonly routes: readonly Route[]
  /** Serves TLS with this identity; absent: plain HTTP. */
  readonly identity?: TlsIdentity | undefined
  readonly log: Logger
  /** Called for each refused request. */
  readonly onRefusal?: (listener: string, code: RefusalCode) => void
}

/** A started listener. */
export interface Listener {
  readonly port: number
  /** Closes each connection after its next response, so that no client writes to one when the listener closes. */
  drain(): void
  /** Stops accepting connections; closes those that are open after half a second. */
  close(): Promise<void>
}

const closeGraceMs = 500

/** Starts a guarded `node:http` server; the launcher loads no framework (docs/concepts/launcher.md). */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const limits = { maxHeaderSize: 32 * 1024, requestTimeout: 60_000 }
  const server =
    options.identity === undefined
      ? createServer(limits)
      : createTlsServer({ ...limits, ...options.identity, minVersion: 'TLSv1.3', handshakeTimeout: 5_000 })
  // Node drops header fields above this number silently; the guard has to count them.
  server.maxHeadersCount = 0
  server.listen(options.port, options.bind)
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : options.port
  let draining = false
  server.on('request', (request, response) => {
    if (draining) response.setHeader('connection', 'close')
    // A response that cannot be written closes its connection, not the process.
    serve(request, response, { ...options, port }).catch(() => response.destroy())
  })
  options.log.info({ listener: options.name, port }, 'listening')
  return {
    port,
    drain: () => {
      draining = true
    },
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      // Responses in progress are completed unless their client does not read.
      const timer = setTimeout(() => server.closeAllConnections(), closeGraceMs)
      await closed
      clearTimeout(timer)
    },
  }
}

async function serve(request: IncomingMessage, response: ServerResponse, options: ListenerOptions): Promise<void> {
  try {
    guard(request, options)
    const { route, params, query } = match(request, options.routes)
    await route.handle({ request, response, params, query })
  } catch (error) {
    // The client closed its connection within its body. A handler that stops reading destroys the request too, but not the socket.
    if (request.socket.destroyed && !request.complete) return
    if (!(error instanceof Refusal)) options.log.error({ listener: options.name, err: String(error) }, 'request failed')
    const refusal = error instanceof Refusal ? error : new Refusal('internal_error')
    options.onRefusal?.(options.name, refusal.code)
    refuse(request, response, refusal)
  }
}

function match(request: IncomingMessage, routes: readonly Route[]) {
  const target = request.url ?? '/'
  const cut = target.indexOf('?')
  const path = cut === -1 ? target : target.slice(0, cut)
  const found = routes.flatMap((route) => {
    const params = matchPattern(route.pattern, path)
    return params === undefined ? [] : [{ route, params }]
  })
  if (found.length === 0) throw new Refusal('not_found')
  const hit = found.find(({ route }) => route.method === request.method)
  if (hit === undefined) {
    const allow = found.map(({ route }) => route.method).join(', ')
    throw new Refusal('method_not_allowed', undefined, { allow })
  }
  return { ...hit, query: new URLSearchParams(cut === -1 ? '' : target.slice(cut + 1)) }
}

function matchPattern(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/')
  const given = path.split('/')
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? ''
    if (part.startsWith(':')) params[part.slice(1)] = value
    else if (part !== value) return undefined
  }
  return params
}

/** Sends a JSON response. */
export function answer(response: ServerResponse, status: number, body: unknown, headers: object = {}): void {
  const bytes = Buffer.from(JSON.stringify(body))
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': bytes.length,
    'x-content-type-options': 'nosniff',
    ...headers,
  })
  response.end(bytes)
}

function refuse(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  // The rest of a refused body is not read: the connection is closed after the response.
  const close = request.complete ? {} : { connection: 'close' }
  const { status } = refusals[refusal.code]
  answer(response, status, { error: refusal.code, message: refusal.message }, { ...refusal.headers, ...close })
}
