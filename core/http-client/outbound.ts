import { isIP } from 'node:net'
import { callbackify } from 'node:util'
import { Agent, Pool, buildConnector } from 'undici'
import type { Dispatcher } from 'undici'
import { createGuard } from './guard.ts'
import type { Guard, GuardOptions } from './guard.ts'
import { createOutboundRequest, parseOutboundUrl } from './outbound-request.ts'
import type { OutboundResponse, OutboundRequest } from './outbound-request.ts'

/** Calls to addresses named by users or peers: model providers, MCP servers, OAuth metadata, ingest (M-2). */
export interface Outbound {
  /** Opens guarded connections for streams; the caller closes them. Redirects are not followed. */
  open(options: ConnectionOptions): Dispatcher
  /** Sends one bounded request on shared connections. Throws `OutboundError`. */
  request(request: OutboundRequest): Promise<OutboundResponse>
  /** Throws the error that a connection to the URL would get; does not connect. */
  check(url: string): Promise<void>
  close(): Promise<void>
}

/** Limits of a connection pool. */
export interface ConnectionOptions {
  /** Concurrent connections per origin. */
  readonly connections: number
  /** How long an idle connection is kept, in milliseconds. */
  readonly keepAliveMs?: number
  /** Additional certificate authorities as PEM; default: those of Node.js and `NODE_EXTRA_CA_CERTS`. */
  readonly ca?: string
}

const CONNECT_MS = 10_000
const KEEP_ALIVE_MS = 30_000

/** Creates a client without connecting. Throws a TypeError for an invalid entry of the allow list. */
export function createOutbound(options: GuardOptions): Outbound {
  const guard = createGuard(options)
  const open = (connections: ConnectionOptions): Agent => openAgent(guard, connections)
  let shared: Agent | undefined
  const dispatcher = (): Agent => (shared ??= open({ connections: 16 }))
  return {
    open,
    request: createOutboundRequest(dispatcher),
    check: async (url) => {
      await guard.resolve(parseOutboundUrl(url))
    },
    close: async () => {
      await shared?.destroy()
    },
  }
}

// The check is part of connecting, so a kept-alive connection costs no further check and no name is resolved twice.
function openAgent(guard: Guard, { connections, keepAliveMs = KEEP_ALIVE_MS, ca }: ConnectionOptions): Agent {
  return new Agent({
    factory: (origin) =>
      new Pool(origin, {
        connections,
        allowH2: false,
        pipelining: 1,
        keepAliveTimeout: keepAliveMs,
        connect: guardedConnector(guard, new URL(origin), ca),
      }),
  })
}

// TLS gets the name (SNI, certificate), the socket the checked addresses. Sockets never look up a literal address.
function guardedConnector(guard: Guard, origin: URL, ca: string | undefined): buildConnector.connector {
  const resolve = callbackify(() => guard.resolve(origin))
  const connect = buildConnector({
    allowH2: false,
    timeout: CONNECT_MS,
    ...(ca === undefined ? {} : { ca }),
    lookup: (_host, { all }, callback) =>
      resolve((error, addresses) => {
        if (error !== null) callback(error, '')
        else if (all === true) callback(null, [...addresses])
        else callback(null, addresses[0]?.address ?? '', addresses[0]?.family)
      }),
  })
  return (request, callback) => {
    if (isIP(request.hostname.replace(/^\[|\]$/g, '')) === 0) return connect(request, callback)
    resolve((error) => (error === null ? connect(request, callback) : callback(error, null)))
  }
}
