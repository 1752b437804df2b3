import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/**
 * Rows of a trace, of a name, and of a kind of actor from a source, in the order of lists. Few rows have a trace, since only requests to the API
 * have one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  'create index audit_log_by_trace on audit_log (trace_id, occurred_at) where trace_id is not null',
  'create index audit_log_by_name on audit_log (resource_name, occurred_at)',
  'create index audit_log_by_actor_kind on audit_log (actor_kind, source, occurred_at)',
]
