import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Adds columns that may be null. Older processes notice neither. */
export const breaking = false

/** Beginnings of input and output for lists (ADR 0264). Runs of before have none: the policy of their time is not known. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table runs_content add column input_preview text, add column output_preview text`.execute(db)
}
