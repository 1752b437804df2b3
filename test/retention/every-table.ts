import type { TestContext } from 'node:test'
import { adapters } from '#core/database/testing/databases.ts'
import { migrate } from '#core/database/migrate.ts'
import { coreMigrations } from '#core/host/platform/platform-store.ts'
import { plugins } from '#plugins/index.ts'

/** A database with every table of the platform, on PostgreSQL where its server is present. */
export async function openEveryTable(t: TestContext) {
  const adapter = adapters.findLast(({ skip }) => skip === false)
  if (adapter === undefined) throw new Error('no database')
  const database = await adapter.open(t)
  const ofPlugins = plugins.flatMap(({ name, migrations }) => (migrations === undefined ? [] : [{ name, migrations }]))
  await migrate(database, [...coreMigrations, ...ofPlugins])
  return database
}
