import type { FastifyReply, FastifyRequest } from 'fastify'
import { randomUUID } from 'node:crypto'
import type { Caller } from '#core/cluster/caller.ts'
import { onClose } from '#core/net/on-close.ts'
import { servicesOf } from './server-context.ts'
import { childOf, parseTraceparent, startTrace } from '#core/telemetry/traceparent.ts'
import type { Trace } from '#core/telemetry/traceparent.ts'
import type { Attributes } from '#core/telemetry/tracer.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { Idempotency } from './endpoint.ts'

/** Why a request failed. `auditId` and `name` are the cluster's, if the cluster refused. */
export interface Failure {
  readonly code: string
  readonly status: number
  readonly auditId?: string
  readonly name?: string
}

/** State of one request, shared by its hooks. */
export interface RequestState {
  /** Trace of this request, its log lines, runs and audit rows. At the BFF never the caller's (SEC26). */
  readonly trace: Trace
  /** Trace context sent by the caller: a link on the span and in the log, or the parent if `continuesTraces`. */
  readonly callerTrace: Trace | undefined
  readonly startedAt: number // monotonic, milliseconds
  bearer?: string
  /** Username of the bearer at the cluster; undefined on a public route. */
  username?: string
  /** Releases the request's slot early; an open event stream is counted by the stream registry instead. */
  leavePlace?: () => void
  /** Id of the browser session that the request came with. */
  sessionId?: string
  /** Rejects when the session that the request came with has ended. */
  recheckSession?: () => Promise<unknown>
  params: Readonly<Record<string, unknown>>
  query: Readonly<Record<string, unknown>>
  caller?: Caller
  /** Proofs of the route's review, or the result of its token's verification. */
  access?: unknown
  /** Target of the review, even when it was denied. */
  reviewed?: { readonly namespace: string; readonly name?: string }
  /** Set while an idempotent handler runs for a key. */
  idempotency?: Idempotency
  /** Id of the intent of the running handler. */
  intent?: string
  /** Object of the last attempted change at the cluster. */
  attempted?: { readonly kind: string; readonly namespace: string | undefined; readonly name: string | undefined }
  failure?: Failure
  /** What the handler adds to the span of the request. */
  noted?: Attributes
  /** Reads each frame of the request's event stream where responses are checked. */
  readFrame?: ((frame: Buffer | string) => void) | undefined
}

// A map instead of decorators: a request that reached no scope (an invalid URL) has state too.
const states = new WeakMap<FastifyRequest, RequestState>()

/** Returns the state of a request, created at the first call. */
export function stateOf(request: FastifyRequest): RequestState {
  const known = states.get(request)
  if (known !== undefined) return known
  const traceparent = request.raw.headers['traceparent']
  const callerTrace = parseTraceparent(typeof traceparent === 'string' ? traceparent : undefined)
  const continues = callerTrace !== undefined && servicesOf(request.server).continuesTraces === true
  const state: RequestState = {
    trace: continues ? childOf(callerTrace) : startTrace(),
    callerTrace,
    startedAt: performance.now(),
    params: {},
    query: {},
  }
  states.set(request, state)
  return state
}

/** Returns the client's request id if it is safe to log and echo, else a new one. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && /^[A-Za-z0-9._-]{8,64}$/.test(header) ? header : randomUUID()
}

/** Returns a signal that aborts if the client disconnects before the response is complete. */
export function abortSignalOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  const { raw } = reply
  if (raw.destroyed && !raw.writableFinished) controller.abort()
  onClose(raw, () => {
    if (!raw.writableFinished) controller.abort()
  })
  return controller.signal
}

/** Returns the error of a request, or `client_closed_request` if the client closed its connection before the body was complete (SEC22). */
export function errorOf({ raw }: FastifyRequest, error: unknown): unknown {
  return raw.destroyed && !raw.complete ? new Fail('client_closed_request') : error
}

/** Owner of a request's share: the user, or the address on a public route. */
export function ownerOfRequest(request: FastifyRequest): string {
  const { username } = stateOf(request)
  return username === undefined ? `address ${request.ip}` : `user ${username}`
}
