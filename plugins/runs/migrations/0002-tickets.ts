import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** The launcher's ticket under which a segment was begun, and which segment: an older process leaves them as they are. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('alter table runs_lease add column ticket text, add column ticket_segment integer').execute(db)
}
