import type { Caller } from '#core/cluster/caller.ts'
import type { Profile, Role } from '#core/config/profile.ts'
import type { Bus } from '#core/messaging/bus/bus.ts'
import type { AuditDescriptor, EventType } from '#core/event-store/event.ts'
import type { Outbound } from '#core/http-client/outbound.ts'
import type { Wiring } from '#core/http/endpoint/mounted-endpoint.ts'
import type { Logger } from '#core/log/logger.ts'
import type { Keyring } from '#core/signing/keyring.ts'
import type { Store } from '#core/event-store/store.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import type { Point } from '#core/jobs/extension-point.ts'

/** What every plugin gets. `cluster` knows only callers: a role's own identity is in that role's context. */
export interface Core {
  readonly role: Role
  readonly install: string
  readonly profile: Profile
  readonly version: string
  readonly log: Logger
  readonly metrics: Metrics
  /** For work whose trace comes from elsewhere; undefined when no collector is configured. */
  readonly tracer?: Tracer | undefined
  readonly keys: Keyring
  readonly now: () => Date
  /** Undefined when no store is configured: store-backed plugins say `unwired`. */
  readonly store: Store | undefined
  readonly bus: Bus
  readonly cluster: { as(bearer: string): Promise<Caller>; knows?(bearer: string): boolean }
  /** Guarded calls to addresses that a user or a peer named. */
  readonly outbound: Outbound
  /** Base URLs of the other roles as this process reaches them. */
  readonly urls: { readonly gateway: string; readonly state: string; readonly bff: string }
  /** Audit descriptors of every declared event type, core's included, by type. */
  readonly descriptors: () => ReadonlyMap<string, AuditDescriptor>
  /** Every declared event type, core's included, by its type. */
  readonly eventTypes: () => ReadonlyMap<string, EventType>
  /** How each plugin is wired, in load order; hidden ones are not in it. Readable once every `create` has run. */
  readonly plugins: () => ReadonlyMap<string, Wired>
  /** Values contributed to a point, readable once every `create` has run. */
  extensions<T>(point: Point<T>): readonly T[]
}

/** How a plugin is wired, and why when it is not ready. */
export interface Wired {
  readonly wiring: Wiring
  readonly reason?: 'disabled' | 'unconfigured'
  /** For people: `needs runs: no DATABASE_URL`. */
  readonly because?: string
}
