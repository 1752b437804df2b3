import type { Dispatcher } from 'undici'
import { assertOutsideTransaction } from '#core/async/transaction-guard.ts'
import { OutboundError, describeReason, outboundReason } from './outbound-error.ts'

/** One request with a bounded response. */
export interface OutboundRequest {
  readonly url: string
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal
  /** Deadline of the whole call in milliseconds; default 10 s. */
  readonly deadlineMs?: number
  /** Limit of the response body; default 1 MiB. */
  readonly maxBytes?: number
  /** Redirects to follow for a GET, at most 3; default 0. Each target is checked like the first URL. */
  readonly redirects?: number
}

/** A response with any status. */
export interface OutboundResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

const DEADLINE_MS = 10_000
const MAX_BYTES = 1024 * 1024
const MAX_REDIRECTS = 3
const redirecting: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
// Headers removed on a redirect to another origin.
const credentials: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization', 'x-api-key'])

/** Creates `Outbound.request` on guarded connections. */
export function createOutboundRequest(dispatcher: () => Dispatcher) {
  return async (request: OutboundRequest): Promise<OutboundResponse> => {
    assertOutsideTransaction('an outbound call')
    const signals = [
      AbortSignal.timeout(request.deadlineMs ?? DEADLINE_MS),
      ...(request.signal ? [request.signal] : []),
    ]
    const signal = AbortSignal.any(signals)
    try {
      return await follow(dispatcher(), { ...request, signal })
    } catch (error) {
      request.signal?.throwIfAborted()
      if (error instanceof OutboundError) throw error
      const reason = signal.aborted ? 'timeout' : outboundReason(error)
      throw new OutboundError(reason, `${hostOf(request.url)}: ${describeReason(reason)}`)
    }
  }
}

async function follow(dispatcher: Dispatcher, request: OutboundRequest): Promise<OutboundResponse> {
  let left = Math.min(
    request.method === undefined || request.method === 'GET' ? (request.redirects ?? 0) : 0,
    MAX_REDIRECTS,
  )
  let url = parseOutboundUrl(request.url)
  let headers = request.headers ?? {}
  for (;;) {
    const answer = await send(dispatcher, { ...request, headers }, url)
    const location = answer.headers['location']
    if (!redirecting.has(answer.status) || typeof location !== 'string' || request.redirects === undefined)
      return answer
    if (left-- === 0) throw new OutboundError('redirect_refused', `${url.host} redirects too often.`)
    const next = parseOutboundUrl(location, url)
    if (url.protocol === 'https:' && next.protocol !== 'https:')
      throw new OutboundError('redirect_refused', `${url.host} redirects away from https.`)
    if (next.origin !== url.origin) headers = withoutCredentials(headers)
    url = next
  }
}

async function send(dispatcher: Dispatcher, request: OutboundRequest, url: URL): Promise<OutboundResponse> {
  const { method = 'GET', headers = {}, body = null, signal = null, maxBytes = MAX_BYTES } = request
  const answer = await dispatcher.request({
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method,
    headers,
    body,
    signal,
  })
  return { status: answer.statusCode, headers: answer.headers, body: await read(answer.body, url, maxBytes) }
}

async function read(body: Dispatcher.ResponseData['body'], url: URL, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    // Leaving the loop destroys the body and its connection.
    if (size > maxBytes) throw new OutboundError('too_large', `The response of ${url.host} exceeds ${maxBytes} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Parses the URL of an outbound call. Throws `OutboundError` for another scheme, credentials or invalid text. */
export function parseOutboundUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href)
  if (
    url === null ||
    (url.protocol !== 'http:' && url.protocol !== 'https:') ||
    url.username !== '' ||
    url.password !== ''
  )
    throw new OutboundError('invalid_url', 'Only http and https URLs without credentials can be called.')
  return url
}

function withoutCredentials(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !credentials.has(name.toLowerCase())))
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'the address'
}
