import type { Kysely, Transaction } from 'kysely'

/** The same handle, typed by the tables that its user knows. */
export function withTables<Tables>(db: Kysely<unknown>): Kysely<Tables> {
  return db as Kysely<Tables>
}

/** The same transaction, typed by the tables that its user knows. */
export function txWithTables<Tables>(db: Transaction<unknown>): Transaction<Tables> {
  return db as Transaction<Tables>
}
