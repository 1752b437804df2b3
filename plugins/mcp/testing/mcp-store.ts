import type { TestContext } from 'node:test'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { createStore } from '#core/event-store/create-store.ts'
import type { Store } from '#core/event-store/store.ts'
import { serversProjection } from '../projections.ts'

/** Opens a store with the tables and the projection of the plugin. */
export async function openMcpStore(t: TestContext): Promise<Store> {
  const [adapter] = pluginAdapters
  if (adapter === undefined) throw new Error('no database for tests')
  const database = await adapter.open(t, [
    { name: 'cluster', migrations: clusterMigrations },
    { name: 'mcp', migrations: new URL('../migrations/', import.meta.url) },
  ])
  return createStore(database, { projections: [serversProjection] })
}
