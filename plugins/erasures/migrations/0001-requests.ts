import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Requests to erase a person, of which one at a time is under way for a subject in a namespace or in the cluster. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table erasures_requests (
    id uuid primary key, subject text, namespace text, namespace_uid text,
    state text not null default 'queued' check (state in ('queued', 'running', 'finished')),
    requested_by text not null, created_at timestamptz not null default clock_timestamp(), finished_at timestamptz,
    erased jsonb not null default '{}',
    request_key bytea unique, request_hash bytea,
    check ((subject is null) = (state = 'finished'))
  )`,
  `create unique index erasures_requests_under_way on erasures_requests (subject, coalesce(namespace_uid, ''))
    where subject is not null`,
  'create index erasures_requests_by_namespace on erasures_requests (namespace_uid, id)',
]
