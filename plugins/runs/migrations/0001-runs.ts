import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Read model, content, queue, journal and partial messages of runs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table runs_runs (
    id uuid primary key, version integer not null, namespace text not null, namespace_uid text not null,
    agent_name text, agent_uid text, agent_revision integer, conversation_id text not null,
    root_run_id uuid not null, parent_run_id uuid, trigger_kind text not null, trigger_by text not null,
    state text not null, pause_reason text, fail_reason text, started boolean not null default false,
    segment integer not null default 0, open_interrupts jsonb not null default '[]', labels jsonb not null default '{}',
    trace_id text not null, input_tokens integer not null default 0, output_tokens integer not null default 0,
    cached_tokens integer not null default 0, reasoning_tokens integer not null default 0,
    created_at timestamptz not null, started_at timestamptz, finished_at timestamptz)`,
  // The list and its filters page by (created_at, id); each index ends in that pair.
  'create index runs_runs_by_namespace on runs_runs (namespace_uid, created_at desc, id desc)',
  'create index runs_runs_by_agent on runs_runs (agent_uid, created_at desc, id desc)',
  'create index runs_runs_by_time on runs_runs (created_at desc, id desc)',
  'create index runs_runs_by_conversation on runs_runs (agent_uid, conversation_id, created_at desc)',
  'create index runs_runs_by_parent on runs_runs (parent_run_id) where parent_run_id is not null',
  `create table runs_content (
    run_id uuid primary key, input jsonb not null, output jsonb, error text, grant_token text not null,
    interrupts jsonb not null default '[]', resolutions jsonb not null default '[]', checkpoint jsonb)`,
  `create table runs_lease (
    run_id uuid primary key, state text not null, epoch integer not null default 0, holder text,
    expires_at timestamptz, wake_at timestamptz not null, idle_since timestamptz not null,
    journal_seq integer not null default 0, launcher_n integer not null default 0)`,
  // The claim looks only at runs with work to do; finished ones (almost all) are not in the index.
  `create index runs_lease_ready on runs_lease (wake_at) where state = 'ready'`,
  `create table runs_journal (
    run_id uuid not null, seq integer not null, ts timestamptz not null, kind text not null,
    path jsonb not null, span_id text not null, data jsonb not null, primary key (run_id, seq))`,
  `create table runs_partial (
    run_id uuid not null, message_id text not null, text text not null, primary key (run_id, message_id))`,
]
