import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** How many notes a namespace has, kept by a consumer. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`CREATE TABLE tally_counts (namespace text PRIMARY KEY, notes integer NOT NULL)`.execute(db)
}
