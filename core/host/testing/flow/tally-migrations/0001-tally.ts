import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Number of notes per namespace, maintained by a consumer. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`CREATE TABLE tally_counts (namespace text PRIMARY KEY, notes integer NOT NULL)`.execute(db)
}
