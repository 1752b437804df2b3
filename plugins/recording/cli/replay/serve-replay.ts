import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fail } from '#core/errors/domain-error.ts'
import { parseJson } from '#core/http/input/body.ts'
import { isObject } from '#core/json/is-object.ts'
import { guardRequest, readBody } from './guard-request.ts'
import { ReplayRefusal, noReply } from './http-reply.ts'
import type { HttpReply } from './http-reply.ts'
import { respondToModelCall, listReplayedModels, modelOperations } from './model-channel.ts'
import type { Replay } from './replay.ts'
import { respondToMcpMessage, findRecordedServer } from './tool-channel.ts'

/** A started server. */
export interface ReplayServer {
  /** `http://127.0.0.1:4000`. */
  readonly url: string
  /** Closes the server and its open requests. */
  close(): Promise<void>
}

/** Limited, since each connection may send a body of `MAX_BODY_BYTES`. */
const MAX_CONNECTIONS = 64
const REQUEST_TIMEOUT_MS = 30_000

/** Serves both channels on loopback; port 0 selects a free port. Rejects if the port cannot be bound. */
export async function serveReplay(replay: Replay, port: number): Promise<ReplayServer> {
  const server = createServer((request, response) => {
    respond(replay, request, response).catch(() => response.destroy())
  })
  server.maxConnections = MAX_CONNECTIONS
  server.requestTimeout = REQUEST_TIMEOUT_MS
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('the system gave no port')
  return {
    url: `http://127.0.0.1:${bound.port}`,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function respond(replay: Replay, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    guardRequest(request)
    const reply = await route(replay, request)
    if (reply !== noReply) write(response, reply)
  } catch (error) {
    const { status, code, message, headers } = toRefusal(error)
    write(response, { status, body: { error: code, message }, headers })
  }
}

async function route(replay: Replay, request: IncomingMessage): Promise<HttpReply | typeof noReply> {
  const path = (request.url ?? '').split('?', 1)[0] ?? ''
  if (path === '/v1/models') {
    allow(request, 'GET')
    return listReplayedModels(replay)
  }
  const operation = modelOperations.find((one) => path === `/v1/${one}`)
  const server = path.startsWith('/mcp/') ? findRecordedServer(replay, decode(path.slice('/mcp/'.length))) : undefined
  if (operation === undefined && server === undefined)
    throw new ReplayRefusal(404, 'not_found', 'the recording has no such path: /v1/{operation} and /mcp/{server}')
  allow(request, 'POST')
  const body = parseJson(await readBody(request))
  if (!isObject(body)) throw new ReplayRefusal(400, 'malformed_request', 'the body must be a JSON object')
  if (operation !== undefined) return respondToModelCall(replay, operation, body)
  return respondToMcpMessage(replay, server ?? '', body)
}

function allow({ method }: IncomingMessage, allowed: 'GET' | 'POST'): void {
  if (method === allowed) return
  throw new ReplayRefusal(405, 'method_not_allowed', `the method must be ${allowed}`, { allow: allowed })
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return ''
  }
}

function toRefusal(error: unknown): ReplayRefusal {
  if (error instanceof ReplayRefusal) return error
  if (error instanceof Fail) return new ReplayRefusal(400, 'malformed_request', error.message)
  return new ReplayRefusal(500, 'internal_error', 'the request failed')
}

function write(response: ServerResponse, { status, body, frames, headers = {} }: HttpReply): void {
  // The content type matches the written body, and browsers must not sniff another one.
  const plain = { 'x-content-type-options': 'nosniff', ...headers }
  if (frames !== undefined) {
    response.writeHead(status, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', ...plain })
    for (const frame of frames) response.write(frame)
    response.end()
    return
  }
  if (body === undefined) {
    response.writeHead(status, plain).end()
    return
  }
  const bytes = Buffer.from(`${JSON.stringify(body)}\n`)
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length, ...plain })
  response.end(bytes)
}
