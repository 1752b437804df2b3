import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import type { Scope } from '#test/harness/scope.ts'

/** A request as sent: node:http does not normalise the path, as fetch would. */
export interface RawRequest {
  readonly method?: string
  readonly path: string
  /** Undefined: no Authorization header. */
  readonly bearer?: string | undefined
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: unknown
  readonly contentType?: string
  /** Resolves after the headers and disconnects, for endless streams. */
  readonly headersOnly?: boolean
}

/** A response with its body as text. */
export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  json<T = Record<string, unknown>>(): T
}

/** A request without a response, with the facts that decide whether a client may repeat it. */
export class NoAnswer extends Error {
  readonly code: string
  /** Sent on a connection that had carried a response before. */
  readonly kept: boolean
  /** A byte of the request was sent, so the server may have acted on it. */
  readonly written: boolean
  /** A byte of the response was received. */
  readonly answered: boolean
  constructor(cause: Error, { kept, written, answered }: Pick<NoAnswer, 'kept' | 'written' | 'answered'>) {
    super(cause.message, { cause })
    this.code = 'code' in cause ? String(cause.code) : cause.name
    this.kept = kept
    this.written = written
    this.answered = answered
  }
}

/** Sends a raw request to one server. Rejects with `NoAnswer`. */
export type Send = (request: RawRequest) => Promise<RawAnswer>

/** Creates a sender with its own connections, closed with the scope. */
export function createSend(t: Scope, base: string, ca?: string): Send {
  const { protocol, hostname, port } = new URL(base)
  const secure = protocol === 'https:'
  // Node's agent honours the server's `Keep-Alive: timeout` only if its own is longer.
  const kept = { keepAlive: true, timeout: 60_000 }
  const agent = secure ? new HttpsAgent({ ...kept, ca }) : new HttpAgent(kept)
  t.after(() => agent.destroy())
  const open = secure ? httpsRequest : httpRequest
  return (given) =>
    new Promise((resolve, reject) => {
      const body = bodyOf(given.body)
      const request = open(
        { hostname, port, agent, method: given.method ?? 'GET', path: given.path, headers: headersOf(given, body) },
        (answer) => {
          if (given.headersOnly === true && (answer.statusCode ?? 0) < 300) {
            resolve(toAnswer(answer, ''))
            return void request.destroy()
          }
          collect(answer).then((text) => resolve(toAnswer(answer, text)), fail)
        },
      )
      const traffic = trafficOf(request)
      const fail = (error: Error): void => reject(new NoAnswer(error, { kept: request.reusedSocket, ...traffic() }))
      request.once('error', fail)
      request.end(body)
    })
}

// Of this request only: a kept-alive connection counts across requests.
function trafficOf(request: ClientRequest): () => Pick<NoAnswer, 'written' | 'answered'> {
  let [socket, read, written]: [Socket | undefined, number, number] = [undefined, 0, 0]
  request.once('socket', (given) => {
    socket = given
    read = given.bytesRead
    written = given.bytesWritten
  })
  return () => ({
    written: socket !== undefined && socket.bytesWritten > written,
    answered: socket !== undefined && socket.bytesRead > read,
  })
}

function bodyOf(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined
  return Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
}

function headersOf(given: RawRequest, body: Buffer | undefined) {
  return {
    ...(given.bearer === undefined ? {} : { authorization: `Bearer ${given.bearer}` }),
    ...(body === undefined
      ? {}
      : { 'content-type': given.contentType ?? 'application/json', 'content-length': body.length }),
    ...given.headers,
  }
}

async function collect(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function toAnswer(answer: IncomingMessage, text: string): RawAnswer {
  return { status: answer.statusCode ?? 0, headers: answer.headers, text, json: <T>() => JSON.parse(text) as T }
}
