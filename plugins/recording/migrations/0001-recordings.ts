import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Sizes of recordings, whose parts are in the object store, and their sum by namespace. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table recording_runs (
    run_id uuid primary key,
    namespace text not null, namespace_uid text not null,
    parts integer not null check (parts >= 0), bytes bigint not null check (bytes >= 0),
    created_at timestamptz not null default clock_timestamp(),
    updated_at timestamptz not null default clock_timestamp(),
    erase_at timestamptz
  )`,
  'create index recording_runs_by_age on recording_runs (created_at)',
  'create index recording_runs_to_erase on recording_runs (erase_at) where erase_at is not null',
  `create table recording_usage (namespace_uid text primary key, bytes bigint not null check (bytes >= 0))`,
]
