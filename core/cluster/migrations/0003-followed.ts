import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Adds a table. Older processes start with a list at the newest version, as before. */
export const breaking = false

/** The resourceVersion up to which every change of a kind is recorded, so that the next manager resumes there. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`CREATE TABLE followed (kind text PRIMARY KEY, rv text NOT NULL)`.execute(db)
}
