import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Acts that nothing else sees, from before they happen until their outcome is a row. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table audit_intents (
    id uuid primary key, intended_at timestamptz not null, recorded_at timestamptz not null default clock_timestamp(),
    actor text not null, action text not null, resource_kind text not null, resource_name text not null,
    namespace text, traceparent text)`,
  'create index audit_intents_by_time on audit_intents (recorded_at)',
]
