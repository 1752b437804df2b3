import { randomUUID } from 'node:crypto'
import { createDirectory, createServedDirectory } from '#core/cluster/namespace-directory.ts'
import { createCallers } from '#core/cluster/callers.ts'
import { createServiceEndpoints, endpointByService } from '#core/cluster/endpoint-slices.ts'
import type { ServiceEndpoints } from '#core/cluster/endpoint-slices.ts'
import { runInformers } from '#core/controllers/informer.ts'
import { namespaceUids } from '#core/cluster/namespace-uids.ts'
import { createObserved } from '#core/cluster/observed-objects.ts'
import { pruneTombstones } from '#core/controllers/objects/object-index.ts'
import { pruneReports } from '#core/controllers/objects/reported-objects.ts'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import { createOwnIdentity } from '#core/cluster/token-review.ts'
import type { OwnIdentity } from '#core/cluster/token-review.ts'
import { runReconcilers } from '#core/controllers/controller.ts'
import type { ServedNamespaces } from '#core/cluster/served-namespaces.ts'
import { createWatchStates } from '#core/controllers/watch/watch-states.ts'
import type { WatchStates } from '#core/controllers/watch/watch-states.ts'
import type { Role } from '#core/config/profile.ts'
import type { Bus } from '#core/messaging/bus/bus.ts'
import type { Consumer } from '#core/messaging/consumer/consumer.ts'
import { startConsumers } from '#core/messaging/consumer/consumer-runner.ts'
import { planOf } from '#core/messaging/bus/durable-consumers.ts'
import { createLagJob } from '#core/messaging/lag-metrics.ts'
import { keepStreams } from '#core/messaging/bus/keep-streams.ts'
import type { NatsBus } from '#core/messaging/bus/nats-bus.ts'
import { StreamDrift } from '#core/messaging/bus/nats-streams.ts'
import { createRelay, readCursor, relayName } from '#core/messaging/outbox-relay.ts'
import type { Running, Term } from '#core/jobs/background-work.ts'
import { workMetrics } from '#core/jobs/metrics.ts'
import { collect } from '#core/kube/read-body.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import type { KubePool } from '#core/kube/connection-pool.ts'
import type { Logger } from '#core/log/logger.ts'
import { createStore } from '#core/event-store/create-store.ts'
import type { Database } from '#core/database/database.ts'
import { createLeaderElection } from '#core/database/leader-election.ts'
import { storeMetrics } from '#core/event-store/metrics.ts'
import { createRetention } from '#core/event-store/event-retention.ts'
import { migrate } from '#core/database/migrate.ts'
import type { MigrationSource } from '#core/database/migration.ts'
import type { Store } from '#core/event-store/store.ts'
import { toStartFailure } from '#core/database/database-errors.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import type { ClusterLocation } from '#core/cluster/cluster-config.ts'
import { createMigrationGate } from './migration-gate.ts'
import type { MigrationGate } from './migration-gate.ts'
import type { OpenPlatform, Platform, PlatformNeeds } from './platform.ts'
import { mayCome, until } from './wait-for-dependency.ts'

/** Everything that the roles of a process share. */
export interface SharedParts {
  readonly database: Database | undefined
  readonly bus: Bus | NatsBus
  readonly cluster: ClusterLocation
  readonly served: ServedNamespaces
  /** Deadline of calls to the cluster in milliseconds (K4). */
  readonly deadlineMs?: number
  readonly install: string
  readonly eventRetentionDays: number
  readonly log: Logger
  readonly metrics: Metrics
  readonly tracer?: Tracer | undefined
}

/** Migrations of core, applied before those of plugins. */
export const coreMigrations: readonly MigrationSource[] = [
  storeMigrations,
  { name: 'cluster', migrations: clusterMigrations },
  { name: 'http', migrations: new URL('../../http/migrations/', import.meta.url) },
]

/** Opens the dependencies of a role: its own store handle, connection pool, identity and leader election on the shared parts. */
export function createPlatformOpener(shared: SharedParts): OpenPlatform {
  followConnections(shared)
  return async (needs) => {
    const { cluster, deadlineMs, served } = shared
    const pool = {
      ...createPool(cluster.server, cluster.tls, { metrics: shared.metrics, calls: cluster.calls }),
      deadlineMs,
    }
    const sources = [...coreMigrations, ...needs.migrations]
    const gate = await openGate(shared, needs.role, sources)
    const store = openStore(shared, gate, needs)
    const waiting: Waits = { drift: undefined }
    const states = createWatchStates(shared)
    const identity = openIdentity(shared, needs.role, pool)
    return {
      store,
      bus: shared.bus,
      callers: createCallers({ server: cluster.server, pool, served }),
      identity,
      observed: store === undefined ? nothingObserved : createObserved(store, served),
      directory: openDirectory(store, served),
      serves: served.has,
      endpoints: endpointsOf(cluster, identity),
      notes: states.notes,
      checks: checksOf(shared, needs.role, { gate, pool, waiting }),
      available: availableOf(shared, gate),
      migrate: (consumers) => migrateAll(shared, sources, consumers),
      ...workOf(shared, { store, waiting, states, identity }),
      close: () => pool.close(),
    }
  }
}

function openDirectory(store: Store | undefined, { names }: ServedNamespaces): Platform['directory'] {
  if (names !== undefined) return createServedDirectory(names)
  return store === undefined ? undefined : createDirectory(store)
}

function followConnections({ database, metrics }: SharedParts): void {
  if (database === undefined) return
  const connections = metrics.gauge(storeMetrics.connections)
  metrics.beforeScrape(() => {
    const { inUse, idle, waiting } = database.usage()
    connections.set(inUse, { state: 'in_use' })
    connections.set(idle, { state: 'idle' })
    connections.set(waiting, { state: 'waiting' })
  })
}

// Conditions besides bus and store for which the role waits.
interface Waits {
  drift: Error | undefined
}

const nothingObserved: Platform['observed'] = { find: async () => undefined, namespaceUid: async () => undefined }

function openStore(
  { log, metrics }: SharedParts,
  gate: MigrationGate | undefined,
  { projections }: PlatformNeeds,
): Store | undefined {
  return gate === undefined
    ? undefined
    : // The roles of a process share the database, so a role that closes its store closes nothing.
      { ...createStore(gate.database, { projections, log, metrics, namespaceUids }), close: async () => undefined }
}

function openIdentity({ cluster, served }: SharedParts, role: Role, pool: KubePool): OwnIdentity | undefined {
  const bearer = cluster.bearerOf(role)
  return bearer === undefined
    ? undefined
    : createOwnIdentity({ cluster: createKubeClient({ server: cluster.server, pool, bearer }), served })
}

function endpointsOf({ endpoints }: ClusterLocation, identity: OwnIdentity | undefined): ServiceEndpoints {
  if (endpoints !== undefined) return endpoints
  return identity === undefined ? endpointByService : createServiceEndpoints(identity.cluster)
}

// Waits for a database that is unreachable or not migrated. Throws if a newer version changed it.
async function openGate(
  { database }: SharedParts,
  role: Role,
  sources: readonly MigrationSource[],
): Promise<MigrationGate | undefined> {
  if (database === undefined) return undefined
  const gate = createMigrationGate(database, sources)
  if (role === 'migrate') return gate
  await gate.check().catch((error: unknown) => {
    if (!mayCome(error)) throw error
  })
  return gate
}

function availableOf({ bus, log }: SharedParts, gate: MigrationGate | undefined): Platform['available'] {
  return {
    store: async (signal) => {
      if (gate !== undefined) await until({ what: 'the store', log, signal }, () => gate.check())
    },
    bus: async (signal) => {
      if (gate !== undefined) await until({ what: 'the bus', log, signal }, () => bus.check())
    },
  }
}

async function migrateAll(
  { database, bus, log }: SharedParts,
  sources: readonly MigrationSource[],
  consumers: readonly Consumer[],
): Promise<void> {
  if (database !== undefined) {
    const applied = await migrate(database, sources).catch((error: unknown) => {
      throw toStartFailure(error)
    })
    if (applied.length > 0) log.info({ applied }, 'migrations applied')
  }
  if ('ensure' in bus) await bus.ensure({ durables: planOf(consumers) })
}

interface CheckParts {
  readonly gate: MigrationGate | undefined
  readonly pool: KubePool
  readonly waiting: Waits
}

function checksOf({ bus }: SharedParts, role: Role, { gate, pool, waiting }: CheckParts): Platform['checks'] {
  const checkBus = async (): Promise<void> => {
    await bus.check()
    // A server that responds may have lost its storage (PODA14).
    if ('verify' in bus) await bus.verify({ durables: [] })
    if (waiting.drift !== undefined) throw waiting.drift
  }
  return {
    ...(gate === undefined ? {} : { store: () => gate.check(), bus: checkBus }),
    ...(role === 'worker' || role === 'migrate' ? {} : { cluster: () => reach(pool) }),
  }
}

// Shorter than the deadline of a readiness check, so that no probe leaves a call behind.
const REACH_MS = 2_000

// Uses handlers like every other call, since an in-process API server has no `request`. Sent without a credential: only whether the API
// server responds matters.
async function reach(pool: KubePool): Promise<void> {
  const asked = { origin: pool.server, path: `${pool.basePath}/readyz`, method: 'GET' } as const
  const { status } = await collect(pool.calls, asked, AbortSignal.timeout(REACH_MS))
  if (status >= 500) throw new Error(`the API server answers ${status}`)
}

type Work = Pick<Platform, 'jobs' | 'relay' | 'consume' | 'inform' | 'reconcile' | 'lead'>

interface WorkParts {
  readonly store: Store | undefined
  readonly waiting: Waits
  readonly states: WatchStates
  readonly identity: OwnIdentity | undefined
}

function workOf(shared: SharedParts, { store, waiting, states, identity }: WorkParts): Work {
  const { database, bus, install, log, metrics, tracer, served, eventRetentionDays: retentionDays } = shared
  const holder = randomUUID()
  const lead = async (name: string, work: (term: Term) => Promise<void>, signal: AbortSignal): Promise<void> => {
    if (database === undefined) return work({ epoch: 0n, signal })
    await createLeaderElection({ database, holder, name }).run(followed(metrics, name, work), signal)
  }
  const own = (): OwnIdentity => {
    if (identity === undefined) throw new Error('this role has no identity of its own')
    return identity
  }
  return {
    lead,
    jobs:
      database === undefined
        ? []
        : [
            createRetention({ database, retentionDays, also: [pruneTombstones, pruneReports] }),
            createLagJob(database, metrics),
          ],
    relay: (consumers, signal) => {
      if (database === undefined) return { done: Promise.resolve() }
      const relay = createRelay({ database, bus, install, log, metrics, tracer })
      const published = async (): Promise<boolean> => (await readCursor(database)) > 0n
      // Run by the relay's leader, the only writer to the stream.
      const run = async (term: Term): Promise<void> => {
        await Promise.all([
          relay.run(term),
          keepStreams({ bus, durables: planOf(consumers), published, log }, term.signal),
        ])
      }
      return { done: lead(relayName, run, signal) }
    },
    consume: (consumers, signal) => {
      if (database === undefined || store === undefined) throw new Error('consumers need a store')
      const started = until({ what: 'the store', log, signal }, () =>
        startConsumers({ store, database, bus, consumers, log, metrics, tracer }),
      )
      const away = async (): Promise<void> => {
        const running = await started
        await bus.check().catch(() => running.sweepMeanwhile())
      }
      // `subscribe` reports why they cannot start.
      away().catch(() => undefined)
      const subscribe = async (): Promise<void> => {
        const running = await started
        await until({ what: 'the streams', log, signal }, async () => {
          waiting.drift = await driftOf(bus, consumers)
          if (waiting.drift !== undefined) throw waiting.drift
          await running.subscribe()
        })
      }
      // `subscribe` reports what could not start; there is nothing to stop.
      const stop = async (): Promise<void> => {
        const [running] = await Promise.allSettled([started, aborted(signal)])
        if (running.status === 'fulfilled') await running.value.stop()
      }
      return { done: stop(), subscribe }
    },
    inform: (informers, signal): Running =>
      store === undefined
        ? { done: Promise.resolve() }
        : runInformers({ cluster: own().cluster, store, informers, served, states, log, metrics, signal }),
    reconcile: (reconcilers, signal) =>
      runReconcilers({ cluster: own().cluster, reconcilers, served, states, log, signal, metrics }),
  }
}

function followed(metrics: Metrics, name: string, work: (term: Term) => Promise<void>) {
  const leads = metrics.gauge(workMetrics.leader)
  const epoch = metrics.gauge(workMetrics.leaderEpoch)
  leads.set(0, { name })
  return async (term: Term): Promise<void> => {
    leads.set(1, { name })
    epoch.set(Number(term.epoch), { name })
    await work(term).finally(() => leads.set(0, { name }))
  }
}

async function driftOf(bus: Bus | NatsBus, consumers: readonly Consumer[]): Promise<StreamDrift | undefined> {
  try {
    if ('verify' in bus) await bus.verify({ durables: planOf(consumers) })
    return undefined
  } catch (error) {
    if (error instanceof StreamDrift) return error
    throw error
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
