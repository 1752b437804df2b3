import type { Kysely } from 'kysely'

/** A migration that is declared in code. */
export type DeclaredMigration = Pick<Migration, 'name' | 'breaking' | 'up'>

/** Owner of migrations: those that follow from declarations, then the folder with the files `0001-name.ts` (`.js` when bundled). */
export interface MigrationSource {
  readonly name: string
  readonly declared?: readonly DeclaredMigration[]
  readonly migrations?: URL
  /** Required prefix of every table created; set for third-party plugins. */
  readonly tablePrefix?: string
}

/** One numbered migration. */
export interface Migration {
  readonly source: string
  readonly name: string
  /** Processes that do not know the migration must not run on its result. It thus prevents a rollback, which the changelog announces. */
  readonly breaking: boolean
  readonly tablePrefix?: string
  up(db: Kysely<unknown>): Promise<void>
}
