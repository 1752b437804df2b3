import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Adds indexes, a table, and columns that may be null. Older processes notice none of them. */
export const breaking = false

/** What the filters of lists need, so that none reads the other runs; and the number of tool calls. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const newest = 'created_at desc, id desc'
const duration = '(finished_at - started_at)'

const statements = [
  // An operator class for prefixes, which also serves equality.
  `create index runs_runs_by_subject_prefix on runs_runs (subject text_pattern_ops, ${newest})`,
  `create index runs_runs_by_trigger on runs_runs (trigger_kind, ${newest})`,
  `create index runs_runs_by_namespace_trigger on runs_runs (namespace_uid, trigger_kind, ${newest})`,
  `create index runs_runs_by_reason on runs_runs (fail_reason, ${newest}) where fail_reason is not null`,
  `create index runs_runs_by_namespace_reason on runs_runs (namespace_uid, fail_reason, ${newest})
    where fail_reason is not null`,
  `create index runs_runs_by_duration on runs_runs (${duration} desc, id desc) where finished_at is not null`,
  `create index runs_runs_by_namespace_duration on runs_runs (namespace_uid, ${duration} desc, id desc)
    where finished_at is not null`,
  'create index runs_labels_by_prefix on runs_labels (value text_pattern_ops)',
  'create index runs_costs_by_model on runs_costs (model) where model is not null',
  `create table runs_rated (run_id uuid primary key)`,
  `insert into runs_rated select distinct r.id from events e join runs_runs r on r.id = (e.data->>'runId')::uuid
    where e.type = 'dev.mesh.feedback.score-recorded.v1'`,
  'alter table runs_lease add column tool_calls integer not null default 0',
]
