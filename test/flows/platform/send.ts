import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import type { Scope } from '#test/harness/scope.ts'

/** A request as it goes over the wire: node:http sends the path untouched, where fetch would normalise it. */
export interface RawRequest {
  readonly method?: string
  readonly path: string
  /** Undefined: no Authorization header at all. */
  readonly bearer?: string | undefined
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: unknown
  readonly contentType?: string
  /** Answers when the headers are there, and hangs up: for streams without an end. */
  readonly headersOnly?: boolean
}

/** An answer, its body as text. */
export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  json<T = Record<string, unknown>>(): T
}

/** A request that got no answer, with what a client may decide by whether it is sent again. */
export class NoAnswer extends Error {
  readonly code: string
  /** On a connection that had carried an answer before. */
  readonly kept: boolean
  /** A byte of the request went out; then the server may have acted on it. */
  readonly written: boolean
  /** A byte of the answer came in. */
  readonly answered: boolean
  constructor(cause: Error, { kept, written, answered }: Pick<NoAnswer, 'kept' | 'written' | 'answered'>) {
    super(cause.message, { cause })
    this.code = 'code' in cause ? String(cause.code) : cause.name
    this.kept = kept
    this.written = written
    this.answered = answered
  }
}

/** Sends a raw request to one server; rejects with `NoAnswer`. */
export type Send = (request: RawRequest) => Promise<RawAnswer>

/** A sender with connections of its own; they are closed with the scope. */
export function createSend(t: Scope, base: string, ca?: string): Send {
  const { protocol, hostname, port } = new URL(base)
  const secure = protocol === 'https:'
  // Node's agent heeds the server's `Keep-Alive: timeout` only when it has a longer time of its own.
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

// Of this request alone: a kept connection counts on from the ones before.
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
