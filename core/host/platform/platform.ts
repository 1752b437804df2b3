import type { Directory } from '#core/cluster/namespace-directory.ts'
import type { Informer, Reconciler } from '#core/controllers/watch/declarations.ts'
import type { ObjectStores } from '#core/controllers/watch/object-stores.ts'
import type { ServiceEndpoints } from '#core/cluster/endpoint-slices.ts'
import type { IndexedReads } from '#core/object-reads/indexed-objects.ts'
import type { ObservedReads } from '#core/cluster/observed-objects.ts'
import type { OwnIdentity } from '#core/cluster/token-review.ts'
import type { Role } from '#core/config/profile.ts'
import type { Bus } from '#core/messaging/bus/bus.ts'
import type { Consumer } from '#core/messaging/consumer/consumer.ts'
import type { EventType } from '#core/event-store/event.ts'
import type { Job, RunningBackgroundWork, Term } from '#core/jobs/background-work.ts'
import type { TaskHandler } from '#core/tasks/task.ts'
import type { TaskQueue } from '#core/tasks/task-queue.ts'
import type { JobTicks } from '#core/tasks/cron-ticks.ts'
import type { MigrationSource } from '#core/database/migration.ts'
import type { Projection, Store } from '#core/event-store/store.ts'
import type { ObjectStore } from '#core/objects/object-store.ts'
import type { StateStore } from '#core/state-store/state-store.ts'
import type { Core } from '#core/plugin/core-services.ts'

/** Running consumers. */
export interface ConsumerWork extends RunningBackgroundWork {
  subscribe(): Promise<void>
}

/** Dependencies of one role. Roles of one process share only PostgreSQL, the bus and the cluster. */
export interface Platform {
  readonly store: Store | undefined
  readonly bus: Bus
  /** For the state role; undefined if it is not configured. */
  readonly stateStore?: StateStore | undefined
  /** For state role, BFF and worker; undefined if it is not configured. */
  readonly objects?: ObjectStore | undefined
  readonly callers: Core['cluster']
  /** The role's own identity: manager, gateway, state, and a worker that was given one. */
  readonly identity: OwnIdentity | undefined
  /** Current bearer of that identity. */
  readonly ownBearer?: (() => Promise<string>) | undefined
  readonly observed: ObservedReads
  readonly indexed: IndexedReads
  readonly directory: Directory | undefined
  /** Whether this installation serves a namespace; default: every one. */
  readonly serves?: (namespace: string) => boolean
  readonly endpoints: ServiceEndpoints
  /** Checks of readiness by name; each throws its reason. */
  readonly checks: Readonly<Record<string, () => Promise<void>>>
  /** Additional lines of `/readyz?verbose`: kinds that cannot be watched. */
  readonly notes?: () => readonly string[]
  /** Resolves when store or bus is usable. Rejects if the signal aborts, or if it can never be used. */
  readonly available: Readonly<Record<'store' | 'bus', (signal: AbortSignal) => Promise<void>>>
  /** Creates tables, streams and durable consumers; for the role `migrate`. */
  migrate(consumers: readonly Consumer[]): Promise<void>
  /** Rebuilds a projection from the log. Throws `UnknownProjection`. */
  rebuild(name: string): Promise<{ readonly events: number }>
  /** Jobs of core in the worker: retention of the event log, metrics. */
  readonly workerJobs: readonly Job[]
  readonly tasks: TaskQueue
  /** Executed ticks of jobs with a cron expression; undefined without a store. */
  readonly ticks: JobTicks | undefined
  /** Runs tasks until the signal aborts, and measures their queues. Without a store it runs none. */
  runTasks(handlers: readonly TaskHandler[], signal: AbortSignal): RunningBackgroundWork
  relay(consumers: readonly Consumer[], signal: AbortSignal): RunningBackgroundWork
  /**
   * Sweeps the log while the bus is unavailable. `subscribe` resolves once the bus delivers, however long it takes for the streams to
   * exist.
   */
  consume(consumers: readonly Consumer[], signal: AbortSignal): ConsumerWork
  inform(informers: readonly Informer[], signal: AbortSignal): RunningBackgroundWork
  reconcile(reconcilers: readonly Reconciler[], signal: AbortSignal): RunningBackgroundWork
  /** Keeps the stores equal to the cluster until the signal aborts. */
  follow(stores: ObjectStores, signal: AbortSignal): RunningBackgroundWork
  /** Runs `work` while this process leads `name`, again after a lost term, until the signal aborts. */
  lead(name: string, work: (term: Term) => Promise<void>, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** Information about plugins that the store of a role needs. Read lazily, since plugins are created after the store is opened. */
export interface PlatformNeeds {
  readonly role: Role
  readonly projections: () => readonly Projection[]
  readonly eventTypes: readonly EventType[]
  /** Plugins with migrations, in load order. */
  readonly migrations: readonly MigrationSource[]
}

/** Opens the dependencies of a role. */
export type OpenPlatform = (needs: PlatformNeeds) => Promise<Platform>
