import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { CannedHandler } from './fake-console.ts'

/** A request that reached the fake API. */
export interface CannedRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: unknown
}

/** Status and body of a response. */
export interface CannedAnswer {
  readonly status: number
  readonly body: unknown
}

/** A response of the fake API that follows from the request and its body. */
export function answering(answer: (request: CannedRequest) => CannedAnswer): CannedHandler {
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', headers } = request
    const { pathname: path, searchParams: query } = new URL(request.url ?? '', 'http://x')
    const sent = await text(request)
    const given: unknown = sent === '' ? undefined : JSON.parse(sent)
    const { status, body } = answer({ method, path, query, headers, body: given })
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(status === 204 ? undefined : JSON.stringify(body))
  }
  return (request, response) => {
    respond(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
  }
}
