import { sql } from 'kysely'
import type { KyselyPlugin } from 'kysely'
import { Fail } from '#core/errors/domain-error.ts'
import type { Database } from '#core/database/database.ts'
import { checkMigrations } from '#core/database/migrate.ts'
import type { MigrationSource } from '#core/database/migration.ts'
import { toStartFailure } from '#core/database/session/database-errors.ts'

/** Prevents a role from using a database before its migrations are complete. */
export interface MigrationGate {
  /** The database; statements throw `store_unavailable` until the gate is open. */
  readonly database: Database
  /** Opens the gate once every migration is applied. Afterwards checks that the database responds. Throws the reason otherwise. */
  check(): Promise<void>
}

/** Creates the gate, closed. Without it, requests would fail with an internal error for a missing table. */
export function createMigrationGate(database: Database, sources: readonly MigrationSource[]): MigrationGate {
  let open = false
  const requireOpen = (): void => {
    if (!open) throw new Fail('store_unavailable', 'The store is not ready yet.')
  }
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      requireOpen()
      return node
    },
    transformResult: async ({ result }) => result,
  }
  return {
    database: {
      ...database,
      root: database.root.withPlugin(plugin),
      db: database.db.withPlugin(plugin),
      reader: database.reader.withPlugin(plugin),
      // The kysely plugin does not cover transactions: they have their own connections, and their statements may be compiled.
      transaction: async (fn) => {
        requireOpen()
        return database.transaction(fn)
      },
    },
    check: async () => {
      try {
        if (open) {
          await sql`select 1`.execute(database.root)
          return
        }
        await checkMigrations(database, sources)
        open = true
      } catch (error) {
        throw toStartFailure(error)
      }
    },
  }
}
