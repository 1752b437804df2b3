import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Deadline of a run that another agent called, inherited from the calling run (ADR 0087). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table runs_content add column deadline timestamptz`.execute(db)
}
