import * as oauth from 'oauth4webapi'
import type { Outbound } from '#core/http-client/outbound.ts'

/** How the library calls an authorization server. */
export interface GuardedCalls {
  readonly [oauth.customFetch]: (url: string, given: LibraryRequest) => Promise<Response>
  readonly [oauth.allowInsecureRequests]: true
  readonly signal: AbortSignal
}

interface LibraryRequest {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: unknown
}

const MAX_BYTES = 128 * 1024
const DEADLINE_MS = 10_000

/** Options of the library: guarded addresses, no redirects, bounded responses. The guard decides where plain http is allowed. */
export function guardedCalls(
  outbound: Pick<Outbound, 'request'>,
  signal = AbortSignal.timeout(DEADLINE_MS),
): GuardedCalls {
  const send = async (url: string, given: LibraryRequest): Promise<Response> => {
    const { status, headers, body } = await outbound.request({
      url,
      method: given.method === 'POST' ? 'POST' : 'GET',
      headers: given.headers,
      maxBytes: MAX_BYTES,
      deadlineMs: DEADLINE_MS,
      signal,
      ...bodyOf(given.body),
    })
    const type = headers['content-type']
    const isBodyless = status === 204 || status === 205 || status === 304
    return new Response(isBodyless ? null : new Uint8Array(body), {
      status: status < 200 || status > 599 ? 502 : status,
      headers: { 'content-type': typeof type === 'string' ? type : '' },
    })
  }
  return { [oauth.customFetch]: send, [oauth.allowInsecureRequests]: true, signal }
}

function bodyOf(body: unknown): { readonly body?: string } {
  if (body instanceof URLSearchParams) return { body: body.toString() }
  return typeof body === 'string' ? { body } : {}
}
