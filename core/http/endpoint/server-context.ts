import type { FastifyInstance } from 'fastify'
import type { Caller } from '#core/cluster/caller.ts'
import type { Directory } from '#core/cluster/namespace-directory.ts'
import type { Logger } from '#core/log/logger.ts'
import type { Keyring } from '#core/signing/keyring.ts'
import type { Store } from '#core/event-store/store.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import type { Authz } from './endpoint.ts'
import type { AnyEndpoint } from './endpoint.ts'
import type { ErrorFormat } from '../problem/error-format.ts'
import type { MountedEndpoint, Wiring } from './mounted-endpoint.ts'
import type { OutcomeSink } from './extension-points.ts'
import type { StreamRegistry } from '../limits/stream-registry.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The endpoint that a route serves. */
    readonly endpoint?: AnyEndpoint
    /** Served without a bearer: the documents outside `/api`, and the token-gated share. */
    readonly public?: boolean
    /** The methods of a public path, which the catalog of endpoints lacks. */
    readonly allow?: readonly string[]
    /** How a plain route of the gateway or state role is authorized. */
    readonly authz?: Authz
    /** A route that only says 405. */
    readonly methodNotAllowed?: true
  }
}

/** What mounted endpoints need of their server; a decorator of the root under a symbol, so features add none. */
export interface HttpServices {
  readonly cluster: { as(bearer: string): Promise<Caller> }
  /** Authenticates a bearer by other means than `cluster.as` (gateway, state); returns the username, throws `unauthenticated`. */
  readonly identify?: ((bearer: string) => Promise<string>) | undefined
  /** Whether a bearer is exempt from the bounds for unknown ones: accepted within the last ten minutes. Never a proof. */
  readonly knows?: ((bearer: string) => boolean) | undefined
  readonly keys: Keyring
  readonly log: Logger
  readonly metrics: Metrics
  /** Absent: requests are of a trace for the log alone. */
  readonly tracer?: Tracer | undefined
  /**
   * Whether the trace context of a request is continued: for launchers and roles of this install. A caller of the BFF could
   * name the trace of another tenant, so there it is a link only (SEC26).
   */
  readonly continuesTraces?: boolean
  /** A line at level info for each request; else at debug. */
  readonly accessLog?: boolean
  readonly store: Store | undefined
  readonly directory: Directory | undefined
  readonly streams: StreamRegistry
  /** Every endpoint mounted so far; hidden ones are not in it. */
  readonly catalog: MountedEndpoint[]
  /** Where denied and failed mutations go; read per request, after every plugin was created. */
  readonly outcomes: () => readonly OutcomeSink[]
  /** Writes every error of this server; absent: problem+json. */
  readonly errorFormat?: ErrorFormat | undefined
  /** Checks answers against their declared schemas; for tests, it costs a validation per answer. */
  readonly checkResponses: boolean
}

/** The plugin that a scope belongs to. */
export interface ScopeOwner {
  readonly plugin: string
  readonly wiring: Wiring
  readonly reason?: 'disabled' | 'unconfigured'
}

const servicesKey = Symbol('mesh.http.services')
const ownerKey = Symbol('mesh.http.owner')

/** Attaches the services to the root of a server. */
export function provideServices(root: FastifyInstance, services: HttpServices): void {
  root.decorate(servicesKey, services)
}

/** The services of the server that a scope belongs to. */
export function servicesOf(scope: FastifyInstance): HttpServices {
  return scope.getDecorator<HttpServices>(servicesKey)
}

/** Names the owner of a scope; a nested scope may be gated apart. */
export function setOwner(scope: FastifyInstance, owner: ScopeOwner): void {
  scope.decorate(ownerKey, owner)
}

/** The owner of a scope. */
export function ownerOf(scope: FastifyInstance): ScopeOwner {
  return scope.getDecorator<ScopeOwner>(ownerKey)
}
