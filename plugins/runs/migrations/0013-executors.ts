import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** The kind of a run without an agent, which an executor of a plugin executes (ADR 0063). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table runs_runs add column executor text`.execute(db)
}
