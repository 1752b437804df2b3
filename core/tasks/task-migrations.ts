import type { MigrationSource } from '#core/database/migration.ts'

/** Migrations of the task queue. */
export const taskMigrations: MigrationSource = {
  name: 'tasks',
  migrations: new URL('./migrations/', import.meta.url),
}
