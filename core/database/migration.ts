import type { Kysely } from 'kysely'

/** Whose migrations these are, and the folder that holds them as `0001-name.ts` (`.js` when bundled). */
export interface MigrationSource {
  readonly name: string
  readonly migrations: URL
  /** Every table that they make must begin so: the rule for plugins from elsewhere. */
  readonly tablePrefix?: string
}

/** One numbered step. `breaking`: processes that do not know it must not run on its result. */
export interface Migration {
  readonly source: string
  readonly name: string
  readonly breaking: boolean
  readonly tablePrefix?: string
  up(db: Kysely<unknown>): Promise<void>
}
