import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from '#core/log/logger.ts'
import type { Identity } from '../contract/identity.ts'
import { guard } from './guard.ts'
import { createMatcher } from './match-route.ts'
import type { ServedPort } from '../contract/http/port.ts'
import { streamed } from '../contract/http/port.ts'
import { readBody } from './read-body.ts'
import { Refusal, refusals } from '../contract/http/refusal.ts'
import type { RefusalCode } from '../contract/http/refusal.ts'
import { bind, createHttp1, createHttp2 } from './transport.ts'
import type { RefuseBroken, Transport } from './transport.ts'
import { abandon, limitBodyTime, refuseConnection, toParserRefusal } from './unfinished.ts'

/** Options of `listen`. */
export interface ListenOptions {
  readonly address: string
  /** Port number; 0 is any free one. */
  readonly number: number
  /** Host names in addition to loopback. */
  readonly hosts?: readonly string[]
  /** Serves TLS with this identity; absent: no TLS. */
  readonly identity?: Pick<Identity, 'follow'> | undefined
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

/** Starts a guarded server for a port; the launcher loads no framework (docs/concepts/launcher.md). */
export async function listen(served: ServedPort, options: ListenOptions): Promise<Listener> {
  const { name, protocol } = served.port
  const scope: Scope = { served, options, match: createMatcher(served.routes), port: 0 }
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    // A response that cannot be written closes its connection, not the process.
    serve(request, response, scope, transport).catch(() => response.destroy())
  }
  const refuseBroken: RefuseBroken = (code, socket) => {
    const refusal = toParserRefusal(code)
    options.onRefusal?.(name, refusal.code)
    refuseConnection(socket, refusal, bodyOf(served, refusal, '/'))
  }
  const transport = protocol === 'h2' ? createHttp2(onRequest) : createHttp1(options.identity, onRequest, refuseBroken)
  scope.port = await bind(transport.server, options.number, options.address)
  options.log.info({ listener: name, port: scope.port }, 'listening')
  return {
    port: scope.port,
    drain: transport.drain,
    close: async () => {
      const closed = once(transport.server, 'close')
      transport.server.close()
      // Responses in progress are completed unless their client does not read.
      const timer = setTimeout(transport.closeAll, closeGraceMs)
      await closed
      clearTimeout(timer)
    },
  }
}

interface Scope {
  readonly served: ServedPort
  readonly options: ListenOptions
  readonly match: ReturnType<typeof createMatcher>
  port: number
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  scope: Scope,
  transport: Transport,
): Promise<void> {
  const { served, options, match, port } = scope
  const { name, bodyLimit, mediaTypes } = served.port
  let isLate = false
  limitBodyTime(request, () => {
    isLate = true
    // The response has begun, or was complete without the body.
    if (response.headersSent || response.destroyed) return abandon(request)
    const refusal = new Refusal('request_timeout')
    options.onRefusal?.(name, refusal.code)
    refuse(request, response, { refusal, body: bodyOf(served, refusal, request.url ?? '/') }, transport)
  })
  try {
    guard(request, { port, hosts: options.hosts, mediaTypes, bodyLimit })
    const { route, params, query } = match(request.method ?? '', request.url ?? '/')
    const body = (): Promise<unknown> => readBody(request, route.body, bodyLimit)
    const result = await route.handle({ request, response, params, query, body } as Parameters<typeof route.handle>[0])
    if (result !== streamed) reply(response, result as AnyReply)
  } catch (error) {
    // The client closed its connection within its body, or was too slow. A handler that stops reading destroys the request too, but not the socket.
    if (isLate || (request.socket.destroyed && !request.complete)) return
    if (!(error instanceof Refusal)) options.log.error({ listener: name, err: String(error) }, 'request failed')
    const refusal = error instanceof Refusal ? error : new Refusal('internal_error')
    options.onRefusal?.(name, refusal.code)
    refuse(request, response, { refusal, body: bodyOf(served, refusal, request.url ?? '/') }, transport)
  }
}

function bodyOf({ port: { refusalBody } }: ServedPort, refusal: Refusal, target: string): object {
  return refusalBody?.(refusal, target) ?? { error: refusal.code, message: refusal.message }
}

interface AnyReply {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

function reply(response: ServerResponse, { status, body, headers = {} }: AnyReply): void {
  if (body === undefined) {
    response.writeHead(status, headers).end()
    return
  }
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(`${JSON.stringify(body)}\n`)
  response.writeHead(status, {
    ...(Buffer.isBuffer(body) ? {} : { 'content-type': 'application/json' }),
    'content-length': bytes.length,
    'x-content-type-options': 'nosniff',
    ...headers,
  })
  response.end(bytes)
}

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  { refusal, body }: { readonly refusal: Refusal; readonly body: object },
  transport: Transport,
): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  // The rest of a refused body is not read: the connection is closed after the response.
  if (!request.complete) transport.closeAfter(request, response)
  reply(response, { status: refusals[refusal.code].status, body, headers: refusal.headers })
}
