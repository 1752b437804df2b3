import { once } from 'node:events'
import { request as createRequest } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { Fail } from '#core/errors/domain-error.ts'

/** The BFF, the bearer of the caller, and who hears of runs. */
export interface ConsoleTarget {
  readonly url: string
  readonly bearer: string
  /** Called for each run that a request has started or resumed. Never rejects. */
  readonly onRun: (runId: string) => Promise<void>
}

// Headers of a connection (RFC 9110, section 7.6.1), and what a browser says about itself.
const dropped = new Set(
  'connection keep-alive proxy-connection te trailer transfer-encoding upgrade expect host authorization proxy-authorization cookie set-cookie origin referer'.split(
    ' ',
  ),
)

/** Passes a request to the BFF as the fixed caller, and its response back, also a stream. Throws `bad_gateway`. */
export async function passRequest(
  { url, bearer, onRun }: ConsoleTarget,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const { hostname, port } = new URL(url)
  const { method, url: path, headers } = request
  // A body without a length has to stay one of chunks, whatever the method.
  const framing = headers['transfer-encoding'] === undefined ? {} : { 'transfer-encoding': 'chunked' }
  const passed = createRequest({
    hostname,
    port,
    method,
    path,
    agent: false,
    signal: gone.signal,
    headers: { ...passedHeaders(headers), ...framing, authorization: `Bearer ${bearer}` },
  })
  // The response says what failed; after its head, its end does.
  passed.on('error', () => undefined)
  // Piped, not in a pipeline: if the BFF refuses a body early, its response is still to be sent.
  request.pipe(passed)
  passed.once('close', () => request.resume())
  const [from] = (await once(passed, 'response').catch(() => {
    throw new Fail('bad_gateway', 'The platform does not respond.')
  })) as [IncomingMessage]
  const runId = method === 'POST' ? runIdOf(path ?? '', from) : undefined
  // oxlint-disable-next-line typescript/no-floating-promises -- never rejects
  if (runId !== undefined) onRun(runId)
  response.writeHead(from.statusCode ?? 502, passedHeaders(from.headers))
  // A stream may be silent at first.
  response.flushHeaders()
  await pipeline(from, response)
}

const resumed = /^\/api\/runs\/([^/?]+)\/resume(?:\?|$)/
const ofRun = /^\/api\/runs\/([^/?]+)$/

function runIdOf(path: string, { statusCode = 502, headers }: IncomingMessage): string | undefined {
  if (statusCode >= 300) return undefined
  const [named] = [headers['x-mesh-run-id'] ?? []].flat()
  return named ?? ofRun.exec(headers.location ?? '')?.[1] ?? resumed.exec(path)?.[1]
}

function passedHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = headers.connection?.toLowerCase().split(',') ?? []
  const ofConnection = new Set(named.map((name) => name.trim()))
  const kept = Object.entries(headers).filter(
    ([name]) => !dropped.has(name) && !ofConnection.has(name) && !name.startsWith('sec-fetch-'),
  )
  return Object.fromEntries(kept)
}
