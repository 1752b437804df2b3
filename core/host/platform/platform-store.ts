import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import { namespaceUids } from '#core/cluster/namespace-uids.ts'
import type { Role } from '#core/config/profile.ts'
import { toStartFailure } from '#core/database/session/database-errors.ts'
import { checkMigrations, migrate } from '#core/database/migrate.ts'
import type { MigrationSource } from '#core/database/migration.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { storeMetrics } from '#core/event-store/metrics.ts'
import { checkProjections, findProjection, updateProjections } from '#core/event-store/projection-versions.ts'
import { rebuild } from '#core/event-store/rebuild-projection.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { retrievalMigrations } from '#core/retrieval/retrieval-migrations.ts'
import { taskMigrations } from '#core/tasks/task-migrations.ts'
import type { Store } from '#core/event-store/store.ts'
import { createMigrationGate } from './migration-gate.ts'
import type { MigrationGate } from './migration-gate.ts'
import type { PlatformNeeds } from './platform.ts'
import type { SharedParts } from './shared-parts.ts'
import { mayCome } from './wait-for-dependency.ts'

/** Migrations of core, applied before those of plugins. */
export const coreMigrations: readonly MigrationSource[] = [
  storeMigrations,
  { name: 'cluster', migrations: clusterMigrations },
  taskMigrations,
  retrievalMigrations,
  { name: 'http', migrations: new URL('../../http/migrations/', import.meta.url) },
]

/** The store of one role. */
export interface PlatformStore {
  readonly store: Store
  /** Throws unless the database responds, is migrated, and its projections have the versions of this process. */
  check(): Promise<void>
}

/** Opens the store of a role; undefined without a database. */
export async function openPlatformStore(
  shared: SharedParts,
  needs: PlatformNeeds,
  sources: readonly MigrationSource[],
): Promise<PlatformStore | undefined> {
  const gate = await openGate(shared, needs.role, sources)
  if (gate === undefined) return undefined
  return {
    store: openStore(shared, gate, needs),
    check: async () => {
      await gate.check()
      await checkProjections(gate.database.db, needs.projections()).catch((error: unknown) => {
        throw toStartFailure(error)
      })
    },
  }
}

/** Applies migrations, and rebuilds projections that an older version filled. */
export async function migrateStore(
  { database, log, hookSeconds, applySeconds }: SharedParts,
  needs: PlatformNeeds,
  sources: readonly MigrationSource[],
): Promise<void> {
  if (database === undefined) return
  const applied = await migrate(database, sources, hookSeconds).catch((error: unknown) => {
    throw toStartFailure(error)
  })
  if (applied.length > 0) log.info({ applied }, 'migrations applied')
  for (const { name, events } of await updateProjections(database, needs.projections(), applySeconds))
    log.info({ projection: name, events }, 'projection rebuilt')
}

/** Rebuilds one projection of a migrated database. Throws `UnknownProjection` for a name that no plugin declares. */
export async function rebuildProjection(
  { database, applySeconds }: SharedParts,
  needs: PlatformNeeds,
  { name, sources }: { readonly name: string; readonly sources: readonly MigrationSource[] },
): Promise<{ readonly events: number }> {
  const projection = findProjection(needs.projections(), name)
  if (database === undefined) throw new Error('this process has no store')
  await checkMigrations(database, sources).catch((error: unknown) => {
    throw toStartFailure(error)
  })
  return rebuild(database, projection, applySeconds)
}

/** Reports the connections of the database as metrics. */
export function followConnections({ database, metrics }: SharedParts): void {
  if (database === undefined) return
  const connections = metrics.gauge(storeMetrics.connections)
  metrics.beforeScrape(() => {
    const { inUse, idle, waiting } = database.usage()
    connections.set(inUse, { state: 'in_use' })
    connections.set(idle, { state: 'idle' })
    connections.set(waiting, { state: 'waiting' })
  })
}

function openStore(
  { log, metrics, applySeconds }: SharedParts,
  gate: MigrationGate,
  { projections, eventTypes }: PlatformNeeds,
): Store {
  const store = createStore(gate.database, {
    projections,
    eventTypes,
    log,
    metrics,
    namespaceUids,
    ...(applySeconds === undefined ? {} : { applySeconds }),
  })
  // The roles of a process share the database, so a role that closes its store closes nothing.
  return { ...store, close: async () => undefined }
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
