import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Contents of spans beside their chunks, a row for each run in a request, so that they are erased with the run. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const contents = `create table traces_contents (
  id uuid primary key,
  trace_id text not null,
  run_id text,
  namespace text not null, namespace_uid text not null,
  agent_uid text not null,
  bytes integer not null,
  content text not null,
  stored_at timestamptz not null
)`

const statements = [
  contents,
  'create index traces_contents_by_trace on traces_contents (trace_id, id)',
  'create index traces_contents_by_run on traces_contents (run_id)',
  'create index traces_contents_by_agent on traces_contents (agent_uid, id)',
  'create index traces_contents_by_time on traces_contents (stored_at)',
]
