import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Scores of runs, and their number by namespace. Ids are UUIDv7, so each index yields the newest scores first. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table feedback_scores (
    id uuid primary key,
    namespace text not null, namespace_uid text not null,
    run_id uuid not null, trace_id text not null, agent_name text,
    name text not null, value jsonb not null, comment text,
    source text not null check (source in ('agent', 'person')), created_by text not null, created_at timestamptz not null,
    request_key bytea unique, request_hash bytea
  )`,
  'create index feedback_scores_by_namespace on feedback_scores (namespace_uid, id)',
  'create index feedback_scores_by_run on feedback_scores (run_id, id)',
  'create index feedback_scores_by_trace on feedback_scores (trace_id, id)',
  `create table feedback_usage (namespace_uid text primary key, scores bigint not null check (scores >= 0))`,
]
