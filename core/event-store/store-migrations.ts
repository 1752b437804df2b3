import type { MigrationSource } from '#core/database/migration.ts'

/** The migrations of the store itself; they come first. */
export const storeMigrations: MigrationSource = {
  name: 'store',
  migrations: new URL('./migrations/', import.meta.url),
}
