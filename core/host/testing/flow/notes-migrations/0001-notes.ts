import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Read model of notes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`CREATE TABLE notes_list (id text PRIMARY KEY, namespace text NOT NULL, text text NOT NULL)`.execute(db)
}
