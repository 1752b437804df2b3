import type { Directory } from '#core/cluster/namespace-directory.ts'
import type { Informer, Reconciler } from '#core/controllers/watch/declarations.ts'
import type { ServiceEndpoints } from '#core/cluster/endpoint-slices.ts'
import type { Observed } from '#core/cluster/observed-objects.ts'
import type { OwnIdentity } from '#core/cluster/token-review.ts'
import type { Role } from '#core/config/profile.ts'
import type { Bus } from '#core/messaging/bus/bus.ts'
import type { Consumer } from '#core/messaging/consumer/consumer.ts'
import type { EventType } from '#core/event-store/event.ts'
import type { Job, Running, Term } from '#core/jobs/background-work.ts'
import type { MigrationSource } from '#core/database/migration.ts'
import type { Projection, Store } from '#core/event-store/store.ts'
import type { Core } from '#core/plugin/core-services.ts'

/** Consumers that run. */
export interface Consuming extends Running {
  subscribe(): Promise<void>
}

/** What one role stands on. Roles of one process share only Postgres, the bus and the cluster beneath it. */
export interface Platform {
  readonly store: Store | undefined
  readonly bus: Bus
  readonly callers: Core['cluster']
  /** The role's own identity: manager, gateway, state, and a worker that was given one. */
  readonly identity: OwnIdentity | undefined
  readonly observed: Observed
  readonly directory: Directory | undefined
  /** Whether this installation serves a namespace; absent: every one. */
  readonly serves?: (namespace: string) => boolean
  readonly endpoints: ServiceEndpoints
  /** What readiness asks, by name; each throws its reason. */
  readonly checks: Readonly<Record<string, () => Promise<void>>>
  /** Further lines for `/readyz?verbose`: what cannot be followed. */
  readonly notes?: () => readonly string[]
  /** Resolves when store or bus can be used; rejects when the signal aborts, or when what is there can never be used. */
  readonly available: Readonly<Record<'store' | 'bus', (signal: AbortSignal) => Promise<void>>>
  /** Tables, streams and durable consumers; for the role `migrate`. */
  migrate(consumers: readonly Consumer[]): Promise<void>
  /** Background work of core itself, beside the plugins': retention of the event log. */
  readonly jobs: readonly Job[]
  relay(consumers: readonly Consumer[], signal: AbortSignal): Running
  /** Sweeps the log while the bus is away; `subscribe` resolves when the bus feeds them, however long their streams take to be there. */
  consume(consumers: readonly Consumer[], signal: AbortSignal): Consuming
  inform(informers: readonly Informer[], signal: AbortSignal): Running
  reconcile(reconcilers: readonly Reconciler[], signal: AbortSignal): Running
  /** Runs `work` while this process leads `name`, again after a loss, until the signal aborts. */
  lead(name: string, work: (term: Term) => Promise<void>, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** What the store of a role must know of the plugins; read lazily, since plugins are created after the store is opened. */
export interface PlatformNeeds {
  readonly role: Role
  readonly projections: () => readonly Projection[]
  readonly eventTypes: readonly EventType[]
  /** The plugins that bring migrations, in load order. */
  readonly migrations: readonly MigrationSource[]
}

/** Opens what a role stands on. */
export type OpenPlatform = (needs: PlatformNeeds) => Promise<Platform>
