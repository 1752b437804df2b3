import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { isServedHost } from '#core/net/loopback-host.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { authenticatorOf } from './admission/bearer.ts'
import { entranceOf } from './admission/admission.ts'
import { verifyToken } from './authorize.ts'
import { closeWhenDraining } from './drain-connection.ts'
import type { TokenAuthz } from './endpoint/authz.ts'
import type { HttpServices } from './endpoint/server-context.ts'
import { serverPart } from './endpoint/server-part.ts'
import { headerValues, refuseDuplicateHeaders } from './input/bearer-token.ts'
import { setSecurityHeaders } from './problem/security-headers.ts'
import { isKubectl, respondToKubectl } from './reply/kubectl-hint.ts'
import { rareMethodFail } from './reply/method-not-allowed.ts'
import { suggestRoute } from './reply/suggest-route.ts'

/** What every request passes before its route: Host, bearer, limits. One hook does all of this, since the contract defines the order. */
export function gatePart(services: HttpServices, hosts: readonly string[] | undefined): FastifyPluginAsync {
  const needs = ['mesh-bodies', 'mesh-problem', 'mesh-telemetry', 'mesh-limits', 'mesh-bearer'] as const
  return serverPart('mesh-gate', needs, (app) => {
    requireDeclaredAccess(app)
    const publicPaths = collectPublicPaths(app)
    const [authenticator, enter] = [authenticatorOf(app), entranceOf(app)]
    app.addHook('onRequest', async (request, reply) => {
      prepare(request, reply, services)
      checkHost(request, hosts)
      if (request.is404 && isKubectl(request)) return respondToKubectl(reply)
      const token = request.is404 ? undefined : tokenOf(request)
      if (token !== undefined) await verifyToken(token, request)
      else if (!isPublic(request)) await authenticator.request(request)
      if (request.is404) throw unknownPath(services, request, publicPaths)
      refuseDuplicateHeaders(request.raw.rawHeaders)
      await enter(request, reply)
      return undefined
    })
  })
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

/** Prepares each response, also one to a URL that the router cannot parse. */
export function prepare(request: FastifyRequest, reply: FastifyReply, { streams }: HttpServices): void {
  closeWhenDraining(reply.raw, () => streams.draining)
  setSecurityHeaders(reply)
  reply.header('x-request-id', request.id)
}

/** H1: before the bearer, since a page with a rebound name may send one. Throws `misdirected_request`. */
export function checkHost(request: FastifyRequest, hosts: readonly string[] | undefined): void {
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
