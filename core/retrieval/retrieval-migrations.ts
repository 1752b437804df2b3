import type { MigrationSource } from '#core/database/migration.ts'

/** Migrations of searches: the extension for vectors. */
export const retrievalMigrations: MigrationSource = {
  name: 'retrieval',
  migrations: new URL('./migrations/', import.meta.url),
}
