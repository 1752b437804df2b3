import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Spans of traces in chunks, how many a trace has of an agent, and the bytes of each namespace. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

// One row for the spans of a trace in one request. JSON as text: jsonb has no U+0000 escapes, and would be parsed twice.
const chunks = `create table traces_chunks (
  id uuid primary key,
  trace_id text not null,
  namespace text not null, namespace_uid text not null,
  agent_uid text not null, agent_name text not null,
  spans integer not null check (spans > 0),
  bytes integer not null,
  content text not null,
  stored_at timestamptz not null
)`

const totals = `create table traces_totals (
  trace_id text not null, agent_uid text not null,
  spans integer not null check (spans >= 0),
  primary key (trace_id, agent_uid)
) with (fillfactor = 50)`

const usage = `create table traces_usage (
  namespace_uid text primary key,
  bytes bigint not null check (bytes >= 0)
) with (fillfactor = 50)`

const statements = [
  chunks,
  'create index traces_chunks_by_trace on traces_chunks (trace_id, id)',
  'create index traces_chunks_by_agent on traces_chunks (agent_uid, id)',
  'create index traces_chunks_by_time on traces_chunks (stored_at)',
  totals,
  usage,
]
