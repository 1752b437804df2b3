import type { Dispatcher } from 'undici'
import { assertOutsideTransaction } from '#core/async/transaction-guard.ts'
import { currentTrace } from '#core/telemetry/trace-context.ts'
import { childOf } from '#core/telemetry/traceparent.ts'
import { collectResponse, responseTooLarge, MAX_RESPONSE_BYTES, ACCEPTED_ENCODING, decompress } from './read-body.ts'
import type { KubePool } from './connection-pool.ts'
import { KubeError, deadlineError, errorFromResponse, unreachableError } from './status.ts'
import type { CallOptions } from './client.ts'
import type { DeclaredRules } from '#schemas/kinds/declared-rules.ts'

/** A bearer, a function that returns a current one, or null to use the pool's client certificate. */
export type Bearer = string | (() => Promise<string>) | null

/** Pool and identity of calls. */
export interface Connection {
  readonly pool: KubePool
  readonly bearer: Bearer
  readonly userAgent: string
}

/** One call; `path` comes from `resourcePath` or is a fixed review path. */
export interface CallRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  readonly contentType?: string
  /** Default `application/json`. */
  readonly accept?: string
  readonly signal?: AbortSignal | undefined
  readonly deadlineMs?: number | undefined
  /** Rules of the kind that is written. */
  readonly rules?: DeclaredRules | undefined
}

/** Deadline of every call except watches and followed logs (K4). */
export const DEADLINE_MS = 10_000

/** Sends a call and reads the whole response. Every failure is a `KubeError`, except the caller's own abort. */
export async function call(connection: Connection, request: CallRequest): Promise<Buffer> {
  return join(await callForPieces(connection, request))
}

/** Like `call`, but returns the body as received and decompressed: a page that is passed through is copied once instead of twice. */
export async function callForPieces(connection: Connection, request: CallRequest): Promise<readonly Buffer[]> {
  const leave = connection.pool.gate.enter()
  let answered = false
  const abort = abortAfter(request.deadlineMs ?? connection.pool.deadlineMs ?? DEADLINE_MS, request.signal)
  try {
    const sent = await prepare(connection, request, abort.signal)
    const zipped = request.method === 'GET' ? { 'accept-encoding': ACCEPTED_ENCODING } : {}
    const asked = { ...sent, headers: { ...sent.headers, ...zipped } }
    const answer = await collectResponse(connection.pool.calls, asked, abort.signal)
    answered = true
    const pieces = await decompress(answer)
    if (answer.status >= 200 && answer.status <= 299) return pieces
    throw errorFromResponse(answer.status, join(pieces), { auditId: auditId(answer.headers), rules: request.rules })
  } catch (error) {
    throw abort.explain(error)
  } finally {
    abort.clear()
    leave(answered)
  }
}

/** Sends a call and returns the body as a stream once the headers have arrived; the deadline applies until then. */
export async function callForStream(connection: Connection, request: CallRequest): Promise<Dispatcher.ResponseData> {
  const abort = abortAfter(request.deadlineMs ?? connection.pool.deadlineMs ?? DEADLINE_MS, request.signal)
  try {
    const answer = await open(connection, request, abort.signal)
    if (answer.statusCode >= 200 && answer.statusCode <= 299) return answer
    throw errorFromResponse(answer.statusCode, join(await readAll(answer.body)), { auditId: auditId(answer.headers) })
  } catch (error) {
    throw abort.explain(error)
  } finally {
    abort.stopTimer() // the caller's signal still ends the stream
  }
}

async function open(
  connection: Connection,
  request: CallRequest,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  const sent = await prepare(connection, request, signal)
  return beforeAbort(connection.pool.streams.request({ ...sent, signal }), signal)
}

async function prepare(connection: Connection, request: CallRequest, signal: AbortSignal) {
  assertOutsideTransaction('the cluster client')
  request.signal?.throwIfAborted()
  const bearer = await beforeAbort(token(connection.bearer), signal)
  const body = request.body === undefined ? {} : { body: toJson(request.body) }
  return {
    origin: connection.pool.server,
    method: request.method,
    path: connection.pool.basePath + request.path,
    headers: headers(connection.userAgent, bearer, request),
    ...body,
  }
}

// Escapes like Go's encoder. In the result of a patch, these characters are escaped. The API server compares it byte by byte with stored data,
// such as that of an immutable ControllerRevision.
function toJson(body: unknown): string {
  return JSON.stringify(body).replace(
    /[<>&\u2028\u2029]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

// As in `collectAnswer`: undici observes the signal of a request only once it has a connection.
function beforeAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

// Built from these values, never copied from a request: no Impersonate-*, X-Remote-* or X-Forwarded-* can pass (K2).
function headers(userAgent: string, bearer: string | null, request: CallRequest): Record<string, string> {
  return {
    accept: request.accept ?? 'application/json',
    'user-agent': userAgent,
    ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
    ...(request.body === undefined ? {} : { 'content-type': request.contentType ?? 'application/json' }),
    ...auditIdHeader(),
  }
}

// The API server logs a request under the Audit-ID of its client, so its audit log names the trace that caused the request. An id is unique:
// the trace alone would be shared by all calls of one request.
function auditIdHeader(): { 'audit-id'?: string } {
  const trace = currentTrace()
  if (trace === undefined) return {}
  return { 'audit-id': `${trace.traceId}-${childOf(trace).spanId}` }
}

async function token(bearer: Bearer): Promise<string | null> {
  if (bearer === null) return null
  const text = typeof bearer === 'string' ? bearer : await bearer()
  // The API server would treat an empty or malformed bearer as system:anonymous (M5), so it is refused here with 401.
  if (!/^[A-Za-z0-9\-._~+/]+=*$/.test(text)) throw new KubeError(401, 'Unauthorized', 'Unauthorized')
  return text
}

async function readAll(body: AsyncIterable<Buffer>): Promise<readonly Buffer[]> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > MAX_RESPONSE_BYTES) throw responseTooLarge()
    chunks.push(chunk)
  }
  return chunks
}

function join(chunks: readonly Buffer[]): Buffer {
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
}

function auditId(answerHeaders: Dispatcher.ResponseData['headers']): string | undefined {
  const value = answerHeaders['audit-id']
  return typeof value === 'string' ? value : undefined
}

/** Combines deadline and caller's signal, and translates errors of aborts and broken sockets. */
function abortAfter(deadlineMs: number, caller: AbortSignal | undefined) {
  const controller = new AbortController()
  let expired = false
  const timer = setTimeout(() => {
    expired = true
    controller.abort()
  }, deadlineMs)
  const forward = (): void => controller.abort(caller?.reason)
  caller?.addEventListener('abort', forward, { once: true })
  return {
    signal: controller.signal,
    stopTimer: () => clearTimeout(timer),
    clear: () => {
      clearTimeout(timer)
      caller?.removeEventListener('abort', forward)
    },
    explain: (error: unknown): unknown => {
      if (caller?.aborted === true && !expired) return caller.reason
      if (expired || isConnectTimeout(error)) return deadlineError(deadlineMs)
      return isTransport(error) ? unreachableError() : error
    },
  }
}

function isConnectTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'UND_ERR_CONNECT_TIMEOUT'
}

/** Whether sockets, TLS or undici raised the error, as opposed to our own errors and defects such as a TypeError. */
export function isTransport(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof KubeError || !('code' in error)) return false
  return typeof error.code === 'string' && !error.code.startsWith('ERR_INVALID')
}

/** Signal and deadline of a call. */
export function callBounds(options: CallOptions = {}): Pick<CallRequest, 'signal' | 'deadlineMs'> {
  return { signal: options.signal, deadlineMs: options.deadlineMs }
}
