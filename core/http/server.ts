import Fastify from 'fastify'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { completeLimits } from '#core/config/request-limits.ts'
import type { RequestLimits } from '#core/config/request-limits.ts'
import { lingerOnClose } from '#core/net/linger-close.ts'
import { limitsPart } from './admission/admission.ts'
import { bearerPart } from './admission/bearer.ts'
import { respondToUnrouted } from './respond-to-unrouted.ts'
import { requestIdOf } from './endpoint/request-context.ts'
import { provideServices } from './endpoint/server-context.ts'
import type { HttpServices } from './endpoint/server-context.ts'
import { serverPart } from './endpoint/server-part.ts'
import { gatePart } from './gate.ts'
import { acceptBodies } from './input/body.ts'
import { createRefuse } from './limits/refusal.ts'
import { telemetryPart } from './observe-requests.ts'
import { respondToBrokenRequest } from './problem/broken-request.ts'
import { problemPart } from './send-error.ts'
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

// Times are in milliseconds: an unfinished request head is closed after 10 to 12 s.
const TIMES = { headersTimeout: 10_000, connectionsCheckingInterval: 2_000 }

// Node's own 400 has no body; `checkHost` refuses these requests.
const HTTP = { ...TIMES, requireHostHeader: false }

/** Builds the server of a role without listening. */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const { services, hosts, tls, trustProxy = [] } = options
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
      respondToUnrouted(app, { error: failure, request, reply }, { hosts, services }).catch(() => reply.raw.destroy())
    },
    clientErrorHandler: (error, socket) => respondToBrokenRequest(error.code, socket, services.errorFormat),
  })
  lingerOnClose(app.server)
  for (const part of serverParts(options)) await app.register(part)
  return app
}

/** The parts of a server in their order. A missing one, or one before those that it needs, fails the start with both names (ADR 0251). */
export function serverParts({ services, limits, hosts }: ServerOptions): readonly FastifyPluginAsync[] {
  const complete = completeLimits(limits)
  const refuse = createRefuse(services.metrics)
  return [
    serverPart('mesh-services', [], (app) => provideServices(app, services)),
    serverPart('mesh-bodies', [], acceptBodies),
    problemPart(services),
    telemetryPart(services),
    limitsPart(complete, refuse),
    bearerPart(services, complete, refuse),
    gatePart(services, hosts),
  ]
}
