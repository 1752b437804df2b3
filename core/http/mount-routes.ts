import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { acceptFiles, bodyReader, FileBody, YamlBody } from './input/body.ts'
import { createCursors } from '#core/database/cursors.ts'
import { isOpen } from './endpoint/authz.ts'
import { checkEndpoint } from './endpoint/check-endpoint.ts'
import { createCall } from './endpoint/create-call.ts'
import type { AnyCall, AnyEndpoint } from './endpoint/endpoint.ts'
import { notWired, ownedEndpoints } from './endpoint/mountable.ts'
import type { EndpointOwner, RouteOwner } from './endpoint/mountable.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { runIdempotent } from './idempotency.ts'
import { paramsReader } from './input/params.ts'
import { queryReader } from './input/query.ts'
import { stateOf } from './endpoint/request-context.ts'
import { pathPattern } from './reply/method-not-allowed.ts'
import { responseChecker } from './reply/validate-response.ts'
import { checkedStream, frameReader } from './reply/check-stream.ts'
import { callerOf, createReviews, findAgentCall } from './authorize.ts'
import { withIntent } from './audit/record-outcome.ts'
import { servicesOf } from './endpoint/server-context.ts'
import { scopedPart } from './endpoint/server-part.ts'
import type { HttpServices } from './endpoint/server-context.ts'
import { cutReply } from './reply/cut-reply.ts'
import { sendResult } from './reply/send-reply.ts'

const BODY_LIMIT = 1024 * 1024

/**
 * Mounts the endpoints and parts of one plugin below a prefix (`/api`, or empty), with every check in the contract's order. Throws for
 * anything else, for an invalid endpoint, and for a route that is declared already. Returns the capabilities of its hidden parts.
 */
export async function mountRoutes(
  app: FastifyInstance,
  declared: unknown,
  owner: RouteOwner & { readonly prefix: string },
): Promise<readonly string[]> {
  const { prefix, ...plugin } = owner
  const owned = ownedEndpoints(declared, plugin)
  const part = scopedPart('mesh-routes', ['mesh-gate'], (scope) => {
    const checked = owned.map((one) => ({ ...one.owner, endpoint: checkEndpoint(one.endpoint) }))
    acceptFiles(scope, new Set(checked.flatMap(({ endpoint }) => endpoint.fileTypes ?? [])))
    for (const { endpoint: one, ...its } of checked) mount(scope, one, { ...its, prefix })
  })
  await app.register(part, { prefix: prefix === '' ? '/' : prefix })
  return owned.flatMap(({ owner: { wiring, capability } }) =>
    wiring === 'hidden' && capability !== undefined ? [capability] : [],
  )
}

// Order of checks: bearer (root), availability, 405 (own routes), names and query, review, body, upstream.
function mount(
  scope: FastifyInstance,
  endpoint: AnyEndpoint,
  owner: EndpointOwner & { readonly prefix: string },
): void {
  const services = servicesOf(scope)
  if (owner.wiring === 'hidden') return
  refuseDuplicate(services, endpoint, owner)
  if (endpoint.authz.kind === 'agent' && services.findAgent === undefined)
    throw new TypeError(`${endpoint.method} ${endpoint.url}: only the state role has routes for agents`)
  services.catalog.push({ ...owner, endpoint })
  const inputs = readInputs(endpoint)
  const reviews = createReviews(endpoint.authz, services)
  const readBody = bodyReader(endpoint.body)
  scope.route({
    method: endpoint.method,
    url: endpoint.url,
    bodyLimit: endpoint.bodyLimit ?? BODY_LIMIT,
    config: { endpoint, public: endpoint.authz.kind === 'public' },
    onRequest: async (request) => {
      if (owner.wiring === 'unwired') throw notWired(owner)
      inputs(request)
      if (endpoint.authz.kind === 'agent') await findAgentCall(services, request)
      await reviews.early(request)
    },
    preHandler: async (request) => {
      if (!isUnparsed(request.body)) request.body = readBody(request.body)
      await reviews.late(request)
      if (needsCaller(endpoint, services)) await callerOf(services, request)
    },
    handler: createHandler(endpoint, owner.prefix, services),
  })
}

function isUnparsed(body: unknown): boolean {
  return body instanceof YamlBody || body instanceof FileBody
}

// Gateway and state authenticate pods too, which are no callers of the cluster.
function needsCaller({ authz }: AnyEndpoint, { identify }: HttpServices): boolean {
  return !isOpen(authz) && authz.kind !== 'agent' && (authz.kind !== 'bearer' || identify === undefined)
}

function refuseDuplicate(
  { catalog }: HttpServices,
  { method, url }: AnyEndpoint,
  { plugin, prefix }: EndpointOwner & { readonly prefix: string },
): void {
  const pattern = pathPattern({ prefix, url })
  const known = catalog.find(
    (one) => one.endpoint.method === method && pathPattern({ prefix: one.prefix, url: one.endpoint.url }) === pattern,
  )
  if (known === undefined) return
  const by = known.plugin === plugin ? 'twice' : `by the plugins ${known.plugin} and ${plugin}`
  throw new TypeError(`${method} ${prefix}${url} is declared ${by}`)
}

function readInputs(endpoint: AnyEndpoint): (request: FastifyRequest) => void {
  const readParams = paramsReader(endpoint.url, endpoint.params)
  const readQuery = queryReader(endpoint.query)
  return (request) => {
    const state = stateOf(request)
    state.params = paramsOf(endpoint, () => readParams(request.params as Readonly<Record<string, string>>))
    state.query = readQuery(request.raw.url ?? '')
  }
}

// S2: a malformed token is as unknown as any other.
function paramsOf<Params>({ authz }: AnyEndpoint, readParams: () => Params): Params {
  if (authz.kind !== 'public' || authz.shownBy !== 'shareToken') return readParams()
  try {
    return readParams()
  } catch {
    throw new Fail('not_found')
  }
}

function createHandler(endpoint: AnyEndpoint, prefix: string, services: HttpServices) {
  const cursors = createCursors(services.keys, `${endpoint.method} ${endpoint.url}`)
  // Applied inside the idempotency wrapper: a repeated response is not a second act.
  const acting = withIntent(services, endpoint)
  // Published under its whole path, as in the OpenAPI document.
  const published = { ...endpoint, url: `${prefix}${endpoint.url}` }
  const checkResponse = services.checkResponses ? responseChecker(published) : undefined
  const readFrame = services.checkResponses ? frameReader(published) : undefined
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    if (endpoint.stream === true && services.streams.draining) throw new Fail('draining')
    const call = createCall(request, reply, { cursors, streams: services.streams, directory: services.directory })
    if (endpoint.authz.kind === 'row' && endpoint.review !== undefined)
      stateOf(request).access = await endpoint.review(call)
    stateOf(request).readFrame = readFrame
    const result = await answerOf(request.body, acting, call, services).catch((error: unknown) =>
      cutReply(services, reply, error),
    )
    if (reply.sent) return reply // a stream has taken over the connection
    checkResponse?.(reply, result)
    const isChecked = services.checkResponses && endpoint.stream === true && request.method !== 'HEAD'
    return sendResult(endpoint, call, isChecked ? checkedStream(published, result) : result)
  }
}

function answerOf(body: unknown, endpoint: AnyEndpoint, call: AnyCall, services: HttpServices): Promise<unknown> {
  if (endpoint.handleYaml !== undefined && body instanceof YamlBody)
    return endpoint.handleYaml(Object.assign(call, { body: body.text }))
  if (endpoint.handleFile !== undefined && body instanceof FileBody)
    return endpoint.handleFile(Object.assign(call, { body }))
  return endpoint.idempotent === true ? runIdempotent(endpoint, call, services) : endpoint.handle(call)
}
