import type { TestContext } from 'node:test'
import { createDatabase } from '#test/harness/database.ts'
import { long } from '#test/harness/counts.ts'
import { needs } from '#test/harness/find-server.ts'
import { openDatabase } from '../database.ts'
import type { Database } from '../database.ts'
import { migrate } from '../migrate.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { openMemoryStore } from './memory-store.ts'

/** The two adapters: how to open an empty, migrated database, and why one is skipped. */
export const adapters = [
  {
    name: 'PGlite',
    skip: false,
    open: (t: TestContext): Promise<Database> => migrated(t, openMemoryStore),
  },
  {
    name: 'PostgreSQL',
    skip: needs('postgres', 'initdb').skip,
    open: (t: TestContext): Promise<Database> =>
      migrated(t, async () => openDatabase({ url: await createDatabase(t), connections: 60 })),
  },
] as const

/**
 * Adapters of a plugin's tests, whose SQL is the same on both. `npm test` uses PostgreSQL, or PGlite without a server. A long run uses both:
 * `npm run test:long` runs the tests named PGlite.
 */
export const pluginAdapters = long ? adapters : adapters.filter(({ skip }) => skip === false).slice(-1)

async function migrated(t: TestContext, open: () => Promise<Database>): Promise<Database> {
  const database = await open()
  t.after(() => database.close())
  await migrate(database, [storeMigrations])
  return database
}
