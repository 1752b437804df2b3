import Fastify from 'fastify'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { lingerOnClose } from '#core/net/linger-close.ts'
import { isServedHost } from '#core/net/loopback-host.ts'
import { createAdmission } from './admission/admission.ts'
import type { Admission } from './admission/admission.ts'
import { headerValues, refuseDuplicateHeaders } from './input/bearer-token.ts'
import { limitBodyTime } from './admission/body-deadline.ts'
import { acceptBodies } from './input/body.ts'
import { respondToBrokenRequest } from './problem/broken-request.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { completeLimits } from '#core/config/request-limits.ts'
import type { RequestLimits } from '#core/config/request-limits.ts'
import { endLine, toJsonBody } from './reply/json-line.ts'
import { respondToKubectl, isKubectl } from './reply/kubectl-hint.ts'
import { rareMethodFail } from './reply/method-not-allowed.ts'
import { suggestRoute } from './reply/suggest-route.ts'
import { recordFailedOutcome } from './audit/record-outcome.ts'
import { toProblemResponse } from './problem/problem.ts'
import { toErrorResponse } from './error-response.ts'
import type { ProblemResponse } from './problem/problem.ts'
import { closeWhenDraining } from './drain-connection.ts'
import type { WireError } from './problem/error-format.ts'
import { createRefuse } from './limits/refusal.ts'
import { verifyToken } from './authorize.ts'
import type { TokenAuthz } from './endpoint/authz.ts'
import { errorOf, requestIdOf, stateOf } from './endpoint/request-context.ts'
import type { Failure } from './endpoint/request-context.ts'
import { setSecurityHeaders } from './problem/security-headers.ts'
import { provideServices } from './endpoint/server-context.ts'
import type { HttpServices } from './endpoint/server-context.ts'
import { observeRequests } from './observe-requests.ts'
import { tlsServerFactory } from './tls.ts'
import type { TlsFiles } from './tls.ts'

/** Options of a server without routes. Authentication, errors, limits and headers apply to everything mounted. */
export interface ServerOptions {
  readonly services: HttpServices
  readonly limits: RequestLimits
  /** Host names served by a listener on loopback, besides those of loopback (H1); undefined: any Host. */
  readonly hosts?: readonly string[] | undefined
  /** Addresses and CIDRs of proxies whose X-Forwarded-For is trusted. */
  readonly trustProxy?: readonly string[]
  readonly tls?: TlsFiles | undefined
}

// In milliseconds: an unfinished request head is closed after 10 to 12 s.
const TIMES = { headersTimeout: 10_000, connectionsCheckingInterval: 2_000 }

// Node's own 400 has no body; `checkHost` refuses these requests.
const HTTP = { ...TIMES, requireHostHeader: false }

/** Builds the server of a role without listening. */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const { services, hosts, tls, trustProxy = [] } = options
  const limits = completeLimits(options.limits)
  const refuse = createRefuse(services.metrics)
  let admission: Admission | undefined
  const app: FastifyInstance = Fastify({
    logger: false,
    genReqId: (raw) => requestIdOf(raw.headers['x-request-id']),
    requestIdHeader: false,
    bodyLimit: 1024 * 1024,
    requestTimeout: 120_000,
    http: HTTP,
    trustProxy: trustProxy.length === 0 ? false : [...trustProxy],
    ...(tls === undefined ? {} : { serverFactory: tlsServerFactory(tls) }),
    // While draining, requests on open connections are still served, with `Connection: close` (X6).
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // 1,024, since the names parser refuses 254 characters with a clearer error. K7: nothing reads a raw query.
    routerOptions: { maxParamLength: 1024, querystringParser: () => ({}) },
    frameworkErrors: (failure, request, reply) => {
      answerUnrouted({ error: failure, request, reply }, { hosts, services, admission }).catch(() =>
        reply.raw.destroy(),
      )
    },
    clientErrorHandler: (error, socket) => respondToBrokenRequest(error.code, socket, services.errorFormat),
  })
  lingerOnClose(app.server)
  provideServices(app, services)
  acceptBodies(app)
  requireDeclaredAccess(app)
  const publicPaths = collectPublicPaths(app)
  observeRequests(app, services)
  limitBodyTime(app, limits.bodySeconds, refuse)
  const admit = (admission = await createAdmission(app, services, { limits, refuse }))
  app.addHook('onRequest', async (request, reply) => {
    prepare(request, reply, services)
    checkHost(request, hosts)
    if (request.is404 && isKubectl(request)) return respondToKubectl(reply)
    const token = request.is404 ? undefined : tokenOf(request)
    if (token !== undefined) await verifyToken(token, request)
    else if (!isPublic(request)) await admit.authenticate(request)
    if (request.is404) throw unknownPath(services, request, publicPaths)
    refuseDuplicateHeaders(request.raw.rawHeaders)
    await admit.enter(request, reply)
    return undefined
  })
  app.setErrorHandler((error, request, reply) => sendError(services, { error, request, reply }))
  app.setNotFoundHandler((request, reply) => sendError(services, { error: new Fail('not_found'), request, reply }))
  return app
}

// X4, D3: a public route declares itself. An unknown path is public only outside /api, where it is a bare 404.
function isPublic(request: FastifyRequest): boolean {
  if (request.is404) return !/^\/+api(?:[/?#]|$)/i.test(request.raw.url ?? '')
  return request.routeOptions.config.public === true
}

function tokenOf({ routeOptions }: FastifyRequest): TokenAuthz | undefined {
  const authz = routeOptions.config.endpoint?.authz
  return authz?.kind === 'token' ? authz : undefined
}

function requireDeclaredAccess(app: FastifyInstance): void {
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.endpoint ?? config?.public ?? config?.methodNotAllowed) return
    throw new TypeError(`${String(method)} ${url} does not declare how it is authorized`)
  })
}

type PublicPaths = ReadonlyMap<string, readonly string[]>

// Methods by path, of routes in no catalog.
function collectPublicPaths(app: FastifyInstance): PublicPaths {
  const paths = new Map<string, readonly string[]>()
  app.addHook('onRoute', ({ url, config }) => {
    if (config?.allow !== undefined) paths.set(url, config.allow)
  })
  return paths
}

function prepare(request: FastifyRequest, reply: FastifyReply, { streams }: HttpServices): void {
  closeWhenDraining(reply.raw, () => streams.draining)
  setSecurityHeaders(reply)
  reply.header('x-request-id', request.id)
}

// H1: before the bearer, since a page with a rebound name may send one.
function checkHost(request: FastifyRequest, hosts: ServerOptions['hosts']): void {
  const given = headerValues(request.raw.rawHeaders, 'host')
  if (given.length === 0 && request.raw.httpVersion === '1.1')
    throw new Fail('malformed_request', 'The Host header is missing.')
  if (hosts === undefined) return
  if (!given.every((host) => isServedHost(host, hosts)) || given.length === 0) throw new Fail('misdirected_request')
}

function unknownPath({ catalog }: HttpServices, request: FastifyRequest, publicPaths: PublicPaths): Fail {
  const { method } = request
  const url = request.raw.url ?? ''
  const [path = ''] = url.split(/[?#]/, 1)
  const rare = rareMethodFail({ method, url }, catalog, publicPaths)
  // A caller who is not authenticated gets the bare 404.
  return rare ?? new Fail('not_found', isPublic(request) ? undefined : suggestRoute(path, catalog))
}

interface FailedRequest {
  readonly error: unknown
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

function sendError(services: HttpServices, { error, request, reply }: FailedRequest): FastifyReply {
  const failed = errorOf(request, error)
  const ofRole = services.errorFormat?.write(failed, describe(request))
  const answer = toErrorResponse(failed, request)
  const state = stateOf(request)
  if (ofRole === undefined) state.failure = failureOf(answer)
  const complete = isPlain(request, answer) ? answer : withTrace(request, answer)
  const wire = ofRole ?? writtenByEndpoint(complete, request)
  recordFailedOutcome(services, request)
  if ((wire ?? answer).status === 500) {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
    services.log.error({ requestId: request.id, traceId: state.trace.traceId, stack }, 'request failed unexpectedly')
  }
  if (wire !== undefined) return sendWire(reply, wire)
  return send(reply, complete)
}

// The body of a 401 is constant.
function writtenByEndpoint(answer: ProblemResponse, { routeOptions, body }: FastifyRequest): WireError | undefined {
  return answer.status === 401 ? undefined : routeOptions.config.endpoint?.writeError?.(answer, body)
}

function describe(request: FastifyRequest) {
  return { method: request.method, path: request.raw.url?.split(/[?#]/, 1)[0] ?? '', isUnknown: request.is404 }
}

function failureOf({ status, problem: { code, cluster } }: ProblemResponse): Failure {
  const name = cluster?.details?.name
  return {
    code,
    status,
    ...(cluster?.auditId === undefined ? {} : { auditId: cluster.auditId }),
    ...(name === undefined ? {} : { name }),
  }
}

// Byte-identical for every caller (section "errors"): an unknown path, an unknown share, a missing bearer.
function isPlain(request: FastifyRequest, answer: ProblemResponse): boolean {
  if (answer.status === 401) return true
  return answer.status === 404 && (request.is404 || request.routeOptions.config.endpoint?.authz.kind === 'public')
}

function withTrace(request: FastifyRequest, answer: ProblemResponse): ProblemResponse {
  const path = request.raw.url?.split(/[?#]/, 1)[0] ?? ''
  const { traceId } = stateOf(request).trace
  // S5: the path of a share has its token.
  if (request.routeOptions.config.public === true) return { ...answer, problem: { ...answer.problem, traceId } }
  return { ...answer, problem: { ...answer.problem, instance: path.slice(0, 2048), traceId } }
}

function send(reply: FastifyReply, { status, headers, problem }: ProblemResponse): FastifyReply {
  return sendWire(reply, { status, headers, contentType: 'application/problem+json', body: toJsonBody(problem) })
}

function sendWire(reply: FastifyReply, { status, headers, contentType, body }: WireError): FastifyReply {
  return reply.code(status).headers(headers).type(contentType).serializer(String).send(endLine(body))
}

// A URL that the router cannot parse reaches no hook, so the checks of Host and bearer are repeated here.
async function answerUnrouted(
  { error, request, reply }: FailedRequest,
  parts: Pick<ServerOptions, 'hosts' | 'services'> & { readonly admission: Admission | undefined },
): Promise<void> {
  const { hosts, services, admission } = parts
  const respond = (failed: unknown): FastifyReply => {
    const wire = services.errorFormat?.write(failed, describe(request))
    return wire === undefined ? send(reply, toProblemResponse(failed)) : sendWire(reply, wire)
  }
  prepare(request, reply, services)
  try {
    checkHost(request, hosts)
    // S2: a malformed token is as unknown as any other.
    if (isBelowShare(request, services)) throw new Fail('not_found')
    await admission?.authenticate(request)
    respond(error)
  } catch (refused) {
    respond(refused)
  }
}

// Whether a path would be that of a share, if its last segment were one that the router can read.
function isBelowShare({ method, raw }: FastifyRequest, { catalog }: HttpServices): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  const path = raw.url?.split(/[?#]/, 1)[0] ?? ''
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  return catalog.some(({ prefix, endpoint: { authz, url } }) => {
    const isShare = authz.kind === 'public' && authz.shownBy === 'shareToken'
    return (
      isShare && `${prefix}${url}`.startsWith(folder) && /^:[A-Za-z]+$/.test(`${prefix}${url}`.slice(folder.length))
    )
  })
}
