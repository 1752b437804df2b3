import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Older processes do not know the table: their first list is at the newest version, as ever. */
export const breaking = false

/** Up to which version everything of a kind is remembered, so that the next manager goes on from there. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`CREATE TABLE followed (kind text PRIMARY KEY, rv text NOT NULL)`.execute(db)
}
