import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Finds changes that no informer has confirmed without reading the log; a row leaves it when one does. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index audit_log_unconfirmed on audit_log (occurred_at)
    where source = 'bff' and outcome = 'success' and action in ('create', 'update') and detail ? 'uid'`.execute(db)
}
