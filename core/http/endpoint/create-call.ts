import type { FastifyReply, FastifyRequest } from 'fastify'
import { formatTraceparent } from '#core/telemetry/traceparent.ts'
import type { AnyCall } from './endpoint.ts'
import type { PathNames } from './path-params.ts'
import { abortSignalOf, stateOf } from './request-context.ts'

/** Parts of a call that belong to the route and its server. */
export type RouteParts = Pick<AnyCall, 'cursors' | 'streams' | 'directory'>

/** Creates the input of a handler from a request whose path and query are read. */
export function createCall(request: FastifyRequest, reply: FastifyReply, rest: RouteParts): AnyCall {
  const state = stateOf(request)
  let signal: AbortSignal | undefined
  let headers: AnyCall['headers'] | undefined
  return {
    ...rest,
    // The reader of this path has parsed exactly the declared names (see params.ts).
    params: state.params as Readonly<Record<string, unknown>> & PathNames,
    query: state.query,
    body: request.body,
    get caller() {
      if (state.caller === undefined) throw new TypeError('this route has no caller')
      return state.caller
    },
    get bearer() {
      if (state.bearer === undefined) throw new TypeError('this route has no bearer')
      return state.bearer
    },
    get session() {
      return state.sessionId
    },
    get access() {
      if (state.access === undefined) throw new TypeError('this route has no access review')
      return state.access
    },
    get idempotency() {
      return state.idempotency
    },
    // Made when a handler reads them: most of the small ones never do.
    get signal() {
      return (signal ??= abortSignalOf(reply))
    },
    get traceparent() {
      return formatTraceparent(state.trace)
    },
    requestId: request.id,
    note: (attributes) => {
      state.noted = { ...state.noted, ...attributes }
    },
    get headers() {
      return (headers ??= singleHeaders(request))
    },
    reply,
    request,
  }
}

function singleHeaders(request: FastifyRequest): Readonly<Record<string, string | undefined>> {
  const entries = Object.entries(request.raw.headers)
  return Object.fromEntries(entries.flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])))
}
