import type { Dispatcher } from 'undici'
import { McpFailure, toMcpFailure } from './mcp-failure.ts'

/** Limits of one session with a server. */
export interface SessionLimits {
  /** Bytes of all response bodies together. */
  readonly maxBytes: number
  readonly maxRequests: number
}

/** Dependencies of the requests of one session. */
export interface GuardedFetchOptions extends SessionLimits {
  /** Guarded connections: addresses are checked when they connect (M-2). */
  readonly dispatcher: Dispatcher
  readonly signal: AbortSignal
  /** Reports the first failure, which the client library would wrap or retry. */
  readonly onFailure: (failure: McpFailure) => void
}

/** The part of `fetch` that the client library uses. */
export type SessionFetch = (url: string | URL, init?: RequestInit) => Promise<Response>

// Headers of a response that the protocol uses; no other one reaches the library.
const used = ['content-type', 'mcp-session-id'] as const
const bodyless: ReadonlySet<number> = new Set([204, 205, 304])

/**
 * Creates the `fetch` of one session: no redirects, bounded bodies and a bounded number of requests. The stream of a GET is refused
 * locally: sessions are short, and a server without one answers the same.
 */
export function createGuardedFetch(options: GuardedFetchOptions): SessionFetch {
  const { maxRequests, onFailure } = options
  const budget = { left: options.maxBytes }
  let requests = 0
  return async (url, init = {}) => {
    const target = new URL(url)
    if ((init.method ?? 'GET') === 'GET') return new Response(null, { status: 405 })
    try {
      requests += 1
      if (requests > maxRequests)
        throw new McpFailure('too_many_requests', `${target.host} causes more than ${maxRequests} requests.`)
      return await send(options, { target, init, budget })
    } catch (error) {
      const failure = toMcpFailure(error, target.host)
      onFailure(failure)
      throw failure
    }
  }
}

interface Sent {
  readonly target: URL
  readonly init: RequestInit
  readonly budget: { left: number }
}

async function send(options: GuardedFetchOptions, { target, init, budget }: Sent): Promise<Response> {
  const signals = init.signal === undefined || init.signal === null ? [] : [init.signal]
  const { statusCode, headers, body } = await options.dispatcher.request({
    origin: target.origin,
    path: `${target.pathname}${target.search}`,
    method: init.method === 'DELETE' ? 'DELETE' : 'POST',
    headers: Object.fromEntries(new Headers(init.headers)),
    body: typeof init.body === 'string' ? init.body : null,
    signal: AbortSignal.any([options.signal, ...signals]),
  })
  const problem = problemOf(statusCode, String(headers['content-type'] ?? ''), target.host)
  if (problem !== undefined) {
    body.on('error', () => undefined).destroy()
    throw problem
  }
  const chunks = bounded(body as AsyncIterable<Buffer>, { budget, host: target.host, onFailure: options.onFailure })
  const kept = used.flatMap((name): [string, string][] => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, value]] : []
  })
  return new Response(bodyless.has(statusCode) ? null : ReadableStream.from(chunks), {
    status: statusCode,
    headers: kept,
  })
}

function problemOf(status: number, type: string, host: string): McpFailure | undefined {
  if (status >= 300 && status < 400)
    return new McpFailure('redirect_refused', `${host} redirects; set spec.url to the final address.`)
  if (status === 401 || status === 403)
    return new McpFailure('unauthorized', `${host} refuses the credential (HTTP ${status}).`)
  if (status < 200 || status > 599) return new McpFailure('not_mcp', `${host} answers with an invalid status.`)
  const media = type.split(';', 1)[0]?.trim().toLowerCase()
  if (status !== 200 || media === 'application/json' || media === 'text/event-stream') return undefined
  return new McpFailure('not_mcp', `${host} answers neither JSON nor an event stream.`)
}

async function* bounded(
  body: AsyncIterable<Buffer>,
  {
    budget,
    host,
    onFailure,
  }: Pick<Sent, 'budget'> & { readonly host: string } & Pick<GuardedFetchOptions, 'onFailure'>,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) {
      budget.left -= chunk.length
      // Leaving the loop destroys the body and its connection.
      if (budget.left < 0) throw new McpFailure('too_large', `${host} answers more than the platform reads.`)
      yield chunk
    }
  } catch (error) {
    const failure = toMcpFailure(error, host)
    onFailure(failure)
    throw failure
  }
}
