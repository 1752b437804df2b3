import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** The launcher where a segment was begun, with that segment: an older process leaves both as they are. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('alter table runs_lease add column launcher jsonb').execute(db)
}
