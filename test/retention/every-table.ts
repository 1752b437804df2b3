import type { TestContext } from 'node:test'
import { adapters } from '#core/database/testing/databases.ts'
import { migrate } from '#core/database/migrate.ts'
import { coreMigrations } from '#core/host/platform/platform-store.ts'
import { migrationsOfStored } from '#core/plugin/stored-slot.ts'
import { plugins } from '#plugins/index.ts'

/** A database with every table of the platform, on PostgreSQL where its server is present. */
export async function openEveryTable(t: TestContext) {
  const adapter = adapters.findLast(({ skip }) => skip === false)
  if (adapter === undefined) throw new Error('no database')
  const database = await adapter.open(t)
  const ofPlugins = plugins.map((plugin) => {
    const { name, migrations } = plugin
    return { name, declared: migrationsOfStored(plugin), ...(migrations === undefined ? {} : { migrations }) }
  })
  await migrate(database, [...coreMigrations, ...ofPlugins])
  return database
}
