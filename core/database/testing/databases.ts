import type { TestContext } from 'node:test'
import { createDatabase } from '#test/harness/database.ts'
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

async function migrated(t: TestContext, open: () => Promise<Database>): Promise<Database> {
  const database = await open()
  t.after(() => database.close())
  await migrate(database, [storeMigrations])
  return database
}
