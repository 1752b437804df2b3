import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/**
 * Denials and errors are rare: a separate index finds a page of them without reading the log. Named acts such as
 * `rollback` are changes that informers confirm, as creations and updates are.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  "create index audit_log_failed on audit_log (outcome, occurred_at) where outcome <> 'success'",
  'drop index audit_log_unconfirmed',
  `create index audit_log_unconfirmed on audit_log (occurred_at)
    where source = 'bff' and outcome = 'success' and action <> 'delete' and detail ? 'uid'`,
]
