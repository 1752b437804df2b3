import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Evaluations with their cases and scores, and overrides of gates. Ids are UUIDv7, so each index yields the newest first. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const phases = ['Pending', 'Running', 'Passed', 'Failed', 'Inconclusive', 'Error', 'Cancelled']
  .map((phase) => `'${phase}'`)
  .join(', ')

const statements = [
  `create table evals_evaluations (
    id uuid primary key, namespace text not null, namespace_uid text not null,
    suite text not null, suite_uid text not null, suite_spec jsonb not null,
    agent text not null, agent_uid text not null, revision integer not null, revision_name text not null,
    origin text not null check (origin in ('request', 'gate')),
    phase text not null check (phase in (${phases})), reason text, message text,
    min_score float8 not null, score float8, baseline_revision integer, baseline_score float8,
    dataset jsonb, prepared jsonb, cursor text, all_read boolean not null default false,
    judge_micros bigint not null default 0, run_micros bigint not null default 0,
    created_by text not null, created_at timestamptz not null, started_at timestamptz, finished_at timestamptz
  )`,
  'create index evals_evaluations_by_suite on evals_evaluations (suite_uid, id)',
  'create index evals_evaluations_by_agent on evals_evaluations (agent_uid, revision, id)',
  'create index evals_evaluations_by_namespace on evals_evaluations (namespace_uid, id)',
  `create index evals_evaluations_open on evals_evaluations (id) where phase in ('Pending', 'Running')`,
  `create table evals_cases (
    evaluation_id uuid not null references evals_evaluations on delete cascade,
    case_id text not null, repetition integer not null, input_digest text not null, content jsonb,
    run_id uuid unique, error text, score float8, passed boolean,
    primary key (evaluation_id, case_id, repetition)
  )`,
  `create index evals_cases_open on evals_cases (evaluation_id, case_id) where score is null and error is null`,
  `create table evals_scores (
    evaluation_id uuid not null, case_id text not null, evaluator text not null, repetition integer not null,
    score float8 not null, note text,
    primary key (evaluation_id, case_id, evaluator, repetition),
    foreign key (evaluation_id, case_id, repetition) references evals_cases on delete cascade
  )`,
  `create table evals_overrides (
    agent_uid text not null, revision integer not null, revision_name text not null,
    namespace text not null, namespace_uid text not null, suite text not null, agent text not null,
    reason text not null, created_by text not null, created_at timestamptz not null,
    primary key (agent_uid, revision)
  )`,
  'create index evals_overrides_by_person on evals_overrides (created_by)',
  'create index evals_evaluations_by_person on evals_evaluations (created_by)',
]
