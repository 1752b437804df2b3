import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Adds a table, which older processes do not notice. */
export const breaking = false

/** Last executed tick of jobs with a cron expression. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table job_ticks (name text primary key, tick timestamptz not null)`.execute(db)
}
