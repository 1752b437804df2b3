import type { Caller } from '#core/cluster/caller.ts'
import type { ObservedReads } from '#core/cluster/observed-objects.ts'
import type { Profile, Role } from '#core/config/profile.ts'
import type { ShownSetting } from '#core/config/shown/shown-settings.ts'
import type { Bus } from '#core/messaging/bus/bus.ts'
import type { AuditDescriptor, EventType } from '#core/event-store/event.ts'
import type { EventRights } from '#core/event-rights/event-rights.ts'
import type { Outbound } from '#core/http-client/outbound.ts'
import type { Wiring } from '#core/http/endpoint/mounted-endpoint.ts'
import type { Logger } from '#core/log/logger.ts'
import type { Keyring } from '#core/signing/keyring.ts'
import type { Sealed } from '#core/signing/sealed.ts'
import type { Store } from '#core/event-store/store.ts'
import type { TaskQueue } from '#core/tasks/task-queue.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import type { ContributedValue, Point } from '#core/jobs/extension-point.ts'
import type { AnyKind } from '#schemas/kinds/kind.ts'
import type { UnenforcedField } from './enforced-fields.ts'

/** Services of every plugin. `cluster` only acts as callers; a role's own identity is part of that role's context. */
export interface Core {
  readonly role: Role
  readonly install: string
  readonly profile: Profile
  readonly version: string
  readonly log: Logger
  readonly metrics: Metrics
  /** For work whose trace starts elsewhere; undefined without a collector. */
  readonly tracer?: Tracer | undefined
  /** The keys that the plugin declares for this role. */
  readonly keys: Keyring
  /** Encryption of secrets at rest, with the key `kek`: the plugin declares it in `keys` of the role. */
  readonly sealed: Sealed
  readonly now: () => Date
  /** Undefined without a store, unless the plugin requires one. */
  readonly store: Store | undefined
  readonly bus: Bus
  /** Durable queue: tasks are enqueued in a transaction of any role and run by workers. */
  readonly tasks: TaskQueue
  readonly cluster: { as(bearer: string): Promise<Caller>; knows?(bearer: string): boolean }
  /** Reads of the object index: from names to uids. */
  readonly observed: ObservedReads
  /** Guarded calls to addresses named by users or peers. */
  readonly outbound: Outbound
  /** Base URLs of the other roles, as reachable from this process. */
  readonly urls: { readonly gateway: string; readonly state: string; readonly bff: string }
  /** Origin at which browsers reach the API (`sessions.publicUrl`). */
  readonly publicUrl?: string | undefined
  /** Audit descriptors of every declared event type by type, core's included. */
  readonly descriptors: () => ReadonlyMap<string, AuditDescriptor>
  /** Every declared event type by its type, core's included. */
  readonly eventTypes: () => ReadonlyMap<string, EventType>
  /**
   * Which events a caller may see, as `GET /api/events` decides. `namespace` is that of one stream or list; default: the cluster, where a cluster-wide
   * right is reviewed first.
   */
  eventRights(caller: Pick<Caller, 'may'>, namespace?: string): EventRights
  /** Kinds of every plugin of the installation. */
  readonly kinds: () => readonly AnyKind[]
  /** Settings in effect that hold no secret: numbers, switches and choices, by their names in the settings file. */
  readonly shownSettings: () => Readonly<Record<string, ShownSetting>>
  /** Availability of each plugin in load order, without hidden ones. Readable once every `create` has run. */
  readonly plugins: () => ReadonlyMap<string, PluginAvailability>
  /** Fields of a kind whose plugin is unwired in this process. Readable like `plugins`. */
  readonly unenforced: (kind: string) => readonly UnenforcedField[]
  /** Values contributed to a point, readable once every `create` has run. */
  extensions<T>(point: Point<T>): readonly T[]
  /** Like `extensions`, with the plugin of each value. */
  contributed<T>(point: Point<T>): readonly ContributedValue<T>[]
}

/** A service that may be absent. A plugin that requires an absent one is `unwired`. */
export type Requirement = 'store'

/** Services of a plugin with these requirements: what it requires is never undefined. */
export type CoreWith<R extends readonly Requirement[]> = Core & { readonly [K in R[number]]-?: NonNullable<Core[K]> }

/** Availability of a plugin, and the reason if it is not ready. */
export interface PluginAvailability {
  readonly wiring: Wiring
  readonly reason?: 'disabled' | 'unconfigured'
  /** Text for users: `needs runs: no DATABASE_URL`. */
  readonly because?: string
  /** Setting that makes it available, such as `DATABASE_URL`. */
  readonly setting?: string
}
