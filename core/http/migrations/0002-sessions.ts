import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Adds tables, which older processes do not notice. */
export const breaking = false

/** Ended sessions until they would have ended by themselves, and users who signed out everywhere. Neither holds a session. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table session_ends (id text primary key, until timestamptz not null)`.execute(db)
  await sql`create index session_ends_by_time on session_ends (until)`.execute(db)
  await sql`create table session_epochs (username text primary key, epoch bigint not null)`.execute(db)
}
