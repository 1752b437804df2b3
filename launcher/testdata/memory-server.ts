import { createServer } from 'node:http'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { listen } from '#test/harness/listen.ts'
import type { Scope } from '#test/harness/scope.ts'

/** A request that the server received. */
export interface MemoryRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** Responds to a request of the launcher. */
export type MemoryReply = (response: ServerResponse, request: MemoryRequest) => void

/** The state role's routes of memory, whose responses a test sets. It stores nothing: the launcher's side of the contract is under test. */
export async function startMemoryServer(t: Scope) {
  const requests: MemoryRequest[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const part of request as AsyncIterable<Buffer>) chunks.push(part)
    const { method = '', url: path = '', headers } = request
    const seen = { method, path, headers, text: Buffer.concat(chunks).toString('utf8') }
    requests.push(seen)
    own.reply(response, seen)
  })
  const own = { url: await listen(t, server), requests, reply: answers(200, []), server }
  return own
}

/** Responds with a status and JSON. */
export function answers(status: number, body: unknown): MemoryReply {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
}
