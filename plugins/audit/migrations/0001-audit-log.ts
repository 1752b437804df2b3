import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** The audit log in daily partitions (created as needed), so that retention drops whole days. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table audit_log (
    id uuid not null, occurred_at timestamptz not null, source text not null, actor text not null,
    actor_kind text not null, action text not null, resource_kind text not null, resource_name text not null,
    namespace text not null, outcome text not null, trace_id text, detail jsonb not null default '{}',
    primary key (occurred_at, id)) partition by range (occurred_at)`,
  // A partitioned table cannot hold a unique key without the partition key: one row a change is ensured here.
  `create table audit_keys (
    key text primary key, id uuid not null, occurred_at timestamptz not null, exact boolean not null)`,
  'create index audit_keys_by_time on audit_keys (occurred_at)',
  // Every filter alone walks an index in the list's own order.
  'create index audit_log_by_namespace on audit_log (namespace, occurred_at desc, id desc)',
  'create index audit_log_by_actor on audit_log (actor, occurred_at desc, id desc)',
  'create index audit_log_by_action on audit_log (action, occurred_at desc, id desc)',
  'create index audit_log_by_kind on audit_log (resource_kind, occurred_at desc, id desc)',
]
