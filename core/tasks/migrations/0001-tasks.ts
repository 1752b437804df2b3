import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Adds a table, which older processes do not notice. */
export const breaking = false

/** The queue of tasks. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // Every task is updated at least twice, so pages keep room for new versions, and dead ones are removed early.
  `create table tasks (
    id bigint generated always as identity primary key,
    type text not null, namespace text not null, namespace_uid text, key text,
    -- Text, not jsonb: it also holds strings that jsonb refuses.
    payload text not null,
    state text not null default 'ready' check (state in ('ready', 'done', 'dead')),
    due_at timestamptz not null,
    attempts integer not null default 0, epoch bigint not null default 0, holder text, expires_at timestamptz,
    error text, traceparent text,
    enqueued_at timestamptz not null default clock_timestamp(), finished_at timestamptz, delete_after timestamptz
  ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)`,
  // Claim, lease and renewal change no column of this index or of its predicate, so that they are HOT updates.
  `create index tasks_ready on tasks (type, namespace, due_at) where state = 'ready'`,
  `create unique index tasks_key on tasks (type, namespace, key) where key is not null`,
  `create index tasks_dead on tasks (id) where state = 'dead'`,
  `create index tasks_delete_after on tasks (delete_after) where delete_after is not null`,
]
