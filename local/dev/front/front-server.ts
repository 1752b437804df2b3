import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isObject } from '#core/json/is-object.ts'
import { isLocalRequest, listenOnLoopback } from './loopback-server.ts'
import type { LoopbackServer } from './loopback-server.ts'

/** Calls `POST /api/invoke` of the BFF with a body, and returns its response. */
export type Invoke = (request: {
  readonly body: object
  readonly accept: string
  readonly signal: AbortSignal
}) => Promise<Response>

/** The agent of the moment, and how it is invoked. */
export interface FrontTarget {
  readonly agent: { readonly namespace: string; readonly name: string }
  readonly invoke: Invoke
}

/** What the port needs: its target, undefined until the agent serves, and who hears about ended runs. */
export interface FrontOptions {
  readonly port: number
  readonly target: () => FrontTarget | undefined
  /** Never rejects. */
  readonly onRun: (runId: string) => Promise<void>
}

class Refused extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

const MAX_BODY_BYTES = 4 * 1024 * 1024
const fields = new Set(['input', 'conversationId', 'labels', 'timeout'])

/** Serves `POST /invoke` on loopback: the run goes through the BFF. Rejects if the port cannot be bound. */
export function serveFront(options: FrontOptions): Promise<LoopbackServer> {
  return listenOnLoopback(options.port, {
    respond: (request, response) => respond(options, request, response),
    fail,
  })
}

async function respond(options: FrontOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!isLocalRequest(request)) throw new Refused(403, 'forbidden', 'only programs and pages of this machine may call')
  const path = (request.url ?? '').split('?', 1)[0]
  const target = options.target()
  if (path === '/healthz' && request.method === 'GET') {
    const [status, text] = target === undefined ? [503, 'starting'] : [200, 'ok']
    response.writeHead(status, { 'content-type': 'application/json' }).end(`{"status":"${text}"}\n`)
    return
  }
  if (path !== '/invoke') throw new Refused(404, 'not_found', 'there is POST /invoke and GET /healthz')
  if (request.method !== 'POST') throw new Refused(405, 'method_not_allowed', 'the method must be POST')
  const given = readInvoke(await readJson(request))
  if (target === undefined) throw new Refused(503, 'starting', 'the agent is not ready yet')
  const body = { ...given, agent: target.agent }
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const accept = request.headers.accept ?? 'application/json'
  await passOn(await target.invoke({ body, accept, signal: gone.signal }), response, options.onRun)
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json')
    throw new Refused(
      415,
      'unsupported_media_type',
      "Content-Type must be application/json: curl -H 'Content-Type: application/json'",
    )
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY_BYTES)
      throw new Refused(413, 'payload_too_large', `the body has more than ${MAX_BODY_BYTES} bytes`)
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    throw new Refused(400, 'malformed_request', 'the body must be JSON such as {"input":"Hi"}')
  }
}

function readInvoke(body: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(body))
    throw new Refused(400, 'malformed_request', 'the body must be a JSON object such as {"input":"Hi"}')
  const unknown = Object.keys(body).find((name) => !fields.has(name))
  if (unknown !== undefined)
    throw new Refused(
      400,
      'invalid_body',
      `unknown field ${JSON.stringify(unknown.slice(0, 60))}: there is ${[...fields].join(', ')}`,
    )
  return body
}

/** Passes the response of the BFF on, also a stream, and reports the run when it has ended. */
async function passOn(from: Response, to: ServerResponse, onRun: FrontOptions['onRun']): Promise<void> {
  const kept = ['content-type', 'x-mesh-run-id', 'retry-after', 'cache-control']
  const headers = kept.flatMap((name) => {
    const value = from.headers.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  to.writeHead(from.status, Object.fromEntries(headers))
  for await (const piece of from.body ?? []) {
    if (!to.write(piece)) await Promise.race([once(to, 'drain'), once(to, 'close')])
  }
  to.end()
  const runId = from.headers.get('x-mesh-run-id')
  if (runId !== null) await onRun(runId)
}

function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const { status, code, message } =
    error instanceof Refused ? error : { status: 502, code: 'unavailable', message: 'the platform did not respond' }
  const body = `${JSON.stringify({ error: code, message })}\n`
  response
    .writeHead(status, { 'content-type': 'application/json', ...(status === 405 ? { allow: 'POST' } : {}) })
    .end(body)
}
