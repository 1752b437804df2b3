import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Scopes of a grant that its server has asked for since. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table mcp_grants add column wanted_scopes text[]`.execute(db)
}
