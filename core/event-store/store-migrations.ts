import type { MigrationSource } from '#core/database/migration.ts'

/** Migrations of the store itself; they run first. */
export const storeMigrations: MigrationSource = {
  name: 'store',
  migrations: new URL('./migrations/', import.meta.url),
}
