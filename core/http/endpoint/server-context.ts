import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller } from '#core/cluster/caller.ts'
import type { FindCallingAgent } from '#core/cluster/calling-agent.ts'
import type { Directory } from '#core/cluster/namespace-directory.ts'
import type { Logger } from '#core/log/logger.ts'
import type { Keyring } from '#core/signing/keyring.ts'
import type { Store } from '#core/event-store/store.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import type { AnyEndpoint } from './endpoint.ts'
import type { ErrorFormat } from '../problem/error-format.ts'
import type { MountedEndpoint } from './mounted-endpoint.ts'
import type { OutcomeSink } from './extension-points.ts'
import type { ResourceNames } from './resource-names.ts'
import type { StreamRegistry } from '../limits/stream-registry.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Endpoint of the route. */
    readonly endpoint?: AnyEndpoint
    /** Served without a bearer: the documents outside `/api`, and `public` endpoints. */
    readonly public?: boolean
    /** Methods of a public path, which the catalog of endpoints does not contain. */
    readonly allow?: readonly string[]
    /** A route that always returns 405. */
    readonly methodNotAllowed?: true
  }
}

/** Sessions of browsers: their cookies hold a sealed bearer (ADR 0267). */
export interface SessionReader {
  /**
   * The bearer of a request's session; undefined for a request without one. Throws `cross_site_request` for one that a page of another
   * origin caused, and `unauthenticated` for a session that has ended.
   */
  bearerOf(request: FastifyRequest): Promise<string | undefined>
}

/** Services of a server used by mounted endpoints. Stored as a decorator of the root under a symbol, so that features add none. */
export interface HttpServices {
  readonly cluster: { as(bearer: string): Promise<Caller> }
  /** Authenticates a bearer other than by `cluster.as` (gateway, state). Returns the username; throws `unauthenticated`. */
  readonly identify?: ((bearer: string) => Promise<string>) | undefined
  /** Finds the agent that calls a route with `authz: { kind: 'agent' }` (state). */
  readonly findAgent?: FindCallingAgent | undefined
  /** Whether a bearer is exempt from the limits for unknown ones: accepted within the last ten minutes, or rejected without a request. */
  readonly knows?: ((bearer: string) => boolean) | undefined
  /** Whether a caller may send its token in `x-api-key` (gateway). */
  readonly acceptsApiKey?: boolean
  /** Undefined without sessions: cookies are not read. */
  readonly sessions?: SessionReader | undefined
  readonly keys: Keyring
  readonly log: Logger
  readonly metrics: Metrics
  /** Without it, traces appear only in the log. */
  readonly tracer?: Tracer | undefined
  /**
   * Whether to continue the trace context of requests: for launchers and roles of this installation. A caller of the BFF could name the
   * trace of another tenant, so its context becomes a link only (SEC26).
   */
  readonly continuesTraces?: boolean
  /** Logs each request at level info instead of debug. */
  readonly accessLog?: boolean
  readonly store: Store | undefined
  readonly directory: Directory | undefined
  readonly streams: StreamRegistry
  /** Every mounted endpoint except hidden ones. */
  readonly catalog: MountedEndpoint[]
  /** Receivers of denied and failed mutations; read per request, after every plugin was created. */
  readonly outcomes: () => readonly OutcomeSink[]
  /** Kinds of resources in audit rows and messages; without it a resource is its own name. */
  readonly names?: ResourceNames | undefined
  /** Format of errors of this server; default: problem+json. */
  readonly errorFormat?: ErrorFormat | undefined
  /** Validates responses against their declared schemas; for tests, since it costs a validation per response. */
  readonly checkResponses: boolean
}

const servicesKey = Symbol('mesh.http.services')

/** Attaches the services to the root of a server. */
export function provideServices(root: FastifyInstance, services: HttpServices): void {
  root.decorate(servicesKey, services)
}

/** Returns the services of a scope's server. */
export function servicesOf(scope: FastifyInstance): HttpServices {
  return scope.getDecorator<HttpServices>(servicesKey)
}
