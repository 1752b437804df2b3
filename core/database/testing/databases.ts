import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { createDatabase } from '#test/harness/database.ts'
import { long } from '#test/harness/counts.ts'
import { needs } from '#test/harness/find-server.ts'
import type { Scope } from '#test/harness/scope.ts'
import { openDatabase } from '../database.ts'
import type { Database } from '../database.ts'
import { migrate } from '../migrate.ts'
import type { MigrationSource } from '../migration.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { openMemoryStore } from './memory-store.ts'

/** The two adapters: how to open a database with the migrations of the store and of further sources, and why one is skipped. */
export const adapters = [
  {
    name: 'PGlite',
    skip: false,
    open: async (t: TestContext, sources: readonly MigrationSource[] = []): Promise<Database> => {
      const database = await openMemoryStore()
      t.after(() => database.close())
      await migrate(database, withStore(sources))
      return database
    },
  },
  {
    name: 'PostgreSQL',
    skip: needs('postgres', 'initdb').skip,
    open: async (t: TestContext, sources: readonly MigrationSource[] = []): Promise<Database> => {
      const database = await openDatabase({ url: await createMigrated(t, sources), connections: 60 })
      t.after(() => database.close())
      return database
    },
  },
] as const

/**
 * Adapters of a plugin's tests, whose SQL is the same on both. `npm test` uses PostgreSQL, or PGlite without a server. A long run uses both:
 * `npm run test:long` runs the tests named PGlite.
 */
export const pluginAdapters = long ? adapters : adapters.filter(({ skip }) => skip === false).slice(-1)

/** As `createDatabase`, with the migrations of the store and of further sources. */
export function createMigrated(t: Scope, sources: readonly MigrationSource[] = []): Promise<string> {
  const all = withStore(sources)
  const prepare = async (url: string): Promise<void> => {
    const database = await openDatabase({ url })
    await migrate(database, all)
    await database.close()
  }
  return createDatabase(t, { template: { key: keyOf(all), prepare } })
}

function withStore(sources: readonly MigrationSource[]): readonly MigrationSource[] {
  return [storeMigrations, ...sources.filter(({ name }) => name !== storeMigrations.name)]
}

// Reads of the project: none
// Each source names its folder. A server that outlives the run may have templates of other sources. Some migrations create the partitions of the day.
function keyOf(sources: readonly MigrationSource[]): string {
  const hash = createHash('sha256').update(new Date().toISOString().slice(0, 10))
  for (const { name, declared = [], migrations } of sources) {
    hash.update(`\n${name}`)
    for (const one of declared) hash.update(`\n${one.name} ${one.up.toString()}`)
    if (migrations === undefined) continue
    const folder = migrations.href.replace(/\/?$/, '/')
    for (const file of readdirSync(migrations).toSorted())
      if (file.endsWith('.ts')) hash.update(`\n${file} `).update(readFileSync(new URL(file, folder)))
  }
  return hash.digest('hex').slice(0, 24)
}
