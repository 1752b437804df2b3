import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Older processes read more of the log without it. */
export const breaking = false

/** No query reads the index any more: the manager stores reported objects itself (ADR 0054). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index audit_log_unconfirmed`.execute(db)
}
