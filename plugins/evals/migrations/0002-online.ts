import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Online scores: agents whose runs are scored, selected runs, and their scores. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table evals_online_targets (
    agent_uid text primary key, namespace text not null, namespace_uid text not null, agent text not null,
    suite text not null, suite_uid text not null, spec jsonb not null, day date, day_runs integer not null default 0
  )`,
  'create index evals_online_targets_by_suite on evals_online_targets (suite_uid)',
  `create table evals_online_runs (
    run_id uuid primary key, agent_uid text not null, suite_uid text not null, at timestamptz not null,
    state text not null check (state in ('waiting', 'scored', 'skipped')), reason text,
    judge_micros bigint not null default 0, currency text
  )`,
  'create index evals_online_runs_by_agent on evals_online_runs (agent_uid, at)',
  'create index evals_online_runs_by_time on evals_online_runs (at)',
  `create table evals_online_scores (
    run_id uuid not null references evals_online_runs on delete cascade, evaluator text not null,
    agent_uid text not null, at timestamptz not null, score float8 not null,
    primary key (run_id, evaluator)
  )`,
  'create index evals_online_scores_by_agent on evals_online_scores (agent_uid, at)',
]
