import type { Dispatcher } from 'undici'
import { McpFailure, toMcpFailure } from './mcp-failure.ts'

/** Limits of one use of a session with a server. */
export interface SessionLimits {
  /** Bytes of all response bodies together. */
  readonly maxBytes: number
  readonly maxRequests: number
}

/** One use of a session: a call, or the end of the session. */
export interface SessionUse {
  readonly signal: AbortSignal
  /** Reports the first failure, which the client library would wrap or retry. */
  readonly onFailure: (failure: McpFailure) => void
  /** Reports that the first request was for a session that the server does not know, so it has done nothing. */
  readonly onLost: () => void
  /** Remaining bytes and requests of the limits. */
  readonly left: { bytes: number; requests: number }
}

/** Dependencies of the requests of one session. */
export interface GuardedFetchOptions extends SessionLimits {
  /** Guarded connections: addresses are checked when they connect (M-2). */
  readonly dispatcher: Dispatcher
  /** The use to which requests currently belong. */
  readonly current: () => SessionUse
}

/** The part of `fetch` that the client library uses. */
export type SessionFetch = (url: string | URL, init?: RequestInit) => Promise<Response>

// Headers of a response that the protocol uses; no other one reaches the library.
const used = ['content-type', 'mcp-session-id'] as const
const bodyless: ReadonlySet<number> = new Set([204, 205, 304])

/**
 * Creates the `fetch` of one session: no redirects, and per use a limited size of bodies and number of requests. The stream of a GET is refused
 * locally, like by a server without streams: it would occupy a connection for each kept session.
 */
export function createGuardedFetch(options: GuardedFetchOptions): SessionFetch {
  const { dispatcher, maxRequests, current } = options
  return async (url, init = {}) => {
    const target = new URL(url)
    if ((init.method ?? 'GET') === 'GET') return new Response(null, { status: 405 })
    const use = current()
    const isFirst = use.left.requests === maxRequests
    try {
      use.left.requests -= 1
      if (use.left.requests < 0)
        throw new McpFailure(
          'too_many_requests',
          `${target.host} causes more than ${maxRequests} requests for one call.`,
        )
      return await send({ dispatcher, target, init, use, isFirst })
    } catch (error) {
      const failure = toMcpFailure(error, target.host)
      use.onFailure(failure)
      throw failure
    }
  }
}

interface Sent extends Pick<GuardedFetchOptions, 'dispatcher'> {
  readonly target: URL
  readonly init: RequestInit
  readonly use: SessionUse
  /** No other request of this use was sent before. */
  readonly isFirst: boolean
}

async function send({ dispatcher, target, init, use, isFirst }: Sent): Promise<Response> {
  const signals = init.signal === undefined || init.signal === null ? [] : [init.signal]
  const sent = new Headers(init.headers)
  const { statusCode, headers, body } = await dispatcher.request({
    origin: target.origin,
    path: `${target.pathname}${target.search}`,
    method: init.method === 'DELETE' ? 'DELETE' : 'POST',
    headers: Object.fromEntries(sent),
    body: typeof init.body === 'string' ? init.body : null,
    signal: AbortSignal.any([use.signal, ...signals]),
  })
  const isLost = statusCode === 404 && sent.has('mcp-session-id')
  // After another request, such as a response to the server during a call, the server may have acted.
  if (isLost && isFirst) use.onLost()
  const problem = isLost
    ? new McpFailure('not_mcp', `${target.host} has ended the session.`)
    : problemOf(statusCode, headers, target.host)
  if (problem !== undefined) {
    body.on('error', () => undefined).destroy()
    throw problem
  }
  const chunks = bounded(body as AsyncIterable<Buffer>, use, target.host)
  const kept = used.flatMap((name): [string, string][] => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, value]] : []
  })
  return new Response(bodyless.has(statusCode) ? null : ReadableStream.from(chunks), {
    status: statusCode,
    headers: kept,
  })
}

const MAX_CHALLENGE = 4_096

function problemOf(status: number, headers: Dispatcher.ResponseData['headers'], host: string): McpFailure | undefined {
  if (status >= 300 && status < 400)
    return new McpFailure('redirect_refused', `${host} redirects; set spec.url to the final URL.`)
  if (status === 401 || status === 403) {
    const challenge = [headers['www-authenticate'] ?? []].flat().join(', ')
    const isKept = challenge !== '' && challenge.length <= MAX_CHALLENGE
    const message = `${host} refuses the credential (HTTP ${status}).`
    return new McpFailure('unauthorized', message, isKept ? challenge : undefined, status)
  }
  if (status < 200 || status > 599) return new McpFailure('not_mcp', `${host} returns an invalid status.`)
  const media = String(headers['content-type'] ?? '')
    .split(';', 1)[0]
    ?.trim()
    .toLowerCase()
  if (status !== 200 || media === 'application/json' || media === 'text/event-stream') return undefined
  return new McpFailure('not_mcp', `${host} returns neither JSON nor an event stream.`)
}

async function* bounded(
  body: AsyncIterable<Buffer>,
  { left, onFailure }: SessionUse,
  host: string,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) {
      left.bytes -= chunk.length
      // Leaving the loop destroys the body and its connection.
      if (left.bytes < 0) throw new McpFailure('too_large', `${host} returns more than the platform reads.`)
      yield chunk
    }
  } catch (error) {
    const failure = toMcpFailure(error, host)
    onFailure(failure)
    throw failure
  }
}
