import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Every answer to an interrupt of a run, kept when `resolutions` begins again with the next pause. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table runs_content add column decisions jsonb not null default '[]'`.execute(db)
}
