import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { bodyReader, YamlBody } from './input/body.ts'
import { createCursors } from '#core/database/cursors.ts'
import type { AnyEndpoint, Call, PathNames } from './endpoint/endpoint.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { runIdempotent } from './idempotency.ts'
import { paramsReader } from './input/params.ts'
import { queryReader } from './input/query.ts'
import { abortSignalOf, stateOf } from './endpoint/request-context.ts'
import { responseChecker } from './reply/validate-response.ts'
import { callerOf, review, reviewOf, reviewsBody, reviewTarget } from './authorize.ts'
import { withIntent } from './audit/record-outcome.ts'
import { ownerOf, servicesOf } from './endpoint/server-context.ts'
import type { HttpServices } from './endpoint/server-context.ts'
import { sendResult } from './reply/send-reply.ts'
import { formatTraceparent } from '#core/telemetry/traceparent.ts'

const BODY_LIMIT = 1024 * 1024

/** Mounts endpoints as routes of a plugin's scope, with every check in the contract's order. */
export function mountEndpoints(endpoints: readonly AnyEndpoint[]): FastifyPluginAsync {
  return async (scope) => {
    for (const endpoint of endpoints) mount(scope, endpoint)
  }
}

// Order of checks: bearer (root), gate (scope), 405 (own routes), names and query, review, body, upstream.
function mount(scope: FastifyInstance, endpoint: AnyEndpoint): void {
  const services = servicesOf(scope)
  const owner = ownerOf(scope)
  refuseUnreviewedReplay(endpoint)
  refuseUncheckedYaml(endpoint)
  if (owner.wiring === 'hidden') return
  services.catalog.push({ ...owner, prefix: scope.prefix, endpoint })
  const inputs = readInputs(endpoint)
  const reviewed = reviewOf(endpoint.authz)
  const early = reviewed !== undefined && !reviewsBody(endpoint.authz) ? reviewed : undefined
  const late = early === undefined ? reviewed : undefined
  const readBody = bodyReader(endpoint.body)
  scope.route({
    method: endpoint.method,
    url: endpoint.url,
    bodyLimit: endpoint.bodyLimit ?? BODY_LIMIT,
    config: { endpoint, public: endpoint.authz.kind === 'shareToken' },
    onRequest: async (request) => {
      inputs(request)
      if (early === undefined) return
      reviewTarget(early, request)
      await review(early, services, request)
    },
    preHandler: async (request) => {
      if (!(request.body instanceof YamlBody)) request.body = readBody(request.body)
      if (late !== undefined) await review(late, services, request)
      else if (endpoint.authz.kind !== 'shareToken') await callerOf(services, request)
    },
    handler: createHandler(endpoint, services),
  })
}

// A stored response never reaches the handler, so access must be checked before.
function refuseUnreviewedReplay({ method, url, authz, idempotent, review: own }: AnyEndpoint): void {
  if (idempotent !== true || authz.kind === 'review' || (authz.kind === 'row' && own !== undefined)) return
  throw new TypeError(`${method} ${url}: an idempotent route needs a review that comes before its stored answer`)
}

// A check that reads the parsed body before the handler would find none.
function refuseUncheckedYaml({ method, url, authz, audit, idempotent, handleYaml }: AnyEndpoint): void {
  if (handleYaml === undefined || !(reviewsBody(authz) || idempotent === true || audit?.intent === true)) return
  throw new TypeError(`${method} ${url}: a route with handleYaml has no review of its body, key or intent`)
}

function readInputs(endpoint: AnyEndpoint): (request: FastifyRequest) => void {
  const readParams = paramsReader(endpoint.url, endpoint.params)
  const readQuery = queryReader(endpoint.query)
  return (request) => {
    const state = stateOf(request)
    state.params = readParams(request.params as Readonly<Record<string, string>>)
    state.query = readQuery(request.raw.url ?? '')
  }
}

function createHandler(endpoint: AnyEndpoint, services: HttpServices) {
  const cursors = createCursors(services.keys, `${endpoint.method} ${endpoint.url}`)
  // Inside the idempotency wrapper: a repeated response is not a second act.
  const acting = withIntent(services, endpoint)
  const checkResponse = services.checkResponses ? responseChecker(endpoint) : undefined
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    if (endpoint.stream === true && services.streams.draining) throw new Fail('draining')
    const call = createCall(request, reply, { cursors, streams: services.streams, directory: services.directory })
    if (endpoint.authz.kind === 'row' && endpoint.review !== undefined)
      stateOf(request).access = await endpoint.review(call)
    const result = await answerOf(request.body, acting, call, services)
    if (reply.sent) return reply // a stream has taken over the connection
    checkResponse?.(reply, result)
    return sendResult(endpoint, call, result)
  }
}

function answerOf(
  body: unknown,
  endpoint: AnyEndpoint,
  call: Call<unknown, unknown, unknown>,
  services: HttpServices,
): Promise<unknown> {
  if (endpoint.handleYaml !== undefined && body instanceof YamlBody)
    return endpoint.handleYaml(Object.assign(call, { body: body.text }))
  return endpoint.idempotent === true ? runIdempotent(endpoint, call, services) : endpoint.handle(call)
}

function createCall(
  request: FastifyRequest,
  reply: FastifyReply,
  rest: Pick<Call<unknown, unknown, unknown>, 'cursors' | 'streams' | 'directory'>,
): Call<unknown, unknown, unknown> {
  const state = stateOf(request)
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
    get access() {
      if (state.access === undefined) throw new TypeError('this route has no access review')
      return state.access
    },
    get idempotency() {
      return state.idempotency
    },
    signal: abortSignalOf(reply),
    traceparent: formatTraceparent(state.trace),
    requestId: request.id,
    headers: singleHeaders(request),
    reply,
    request,
  }
}

function singleHeaders(request: FastifyRequest): Readonly<Record<string, string | undefined>> {
  const entries = Object.entries(request.raw.headers)
  return Object.fromEntries(entries.flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])))
}
