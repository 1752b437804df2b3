import type { ColumnType, Generated, Selectable } from 'kysely'
import type { DatasetCase, DatasetSnapshot } from '#plugins/datasets/contract/api.ts'
import type { PreparedRun } from '#plugins/runs/contract/api.ts'
import type { EvalSuiteSpec, SuiteEvaluator } from '#schemas/crds/eval-suite.ts'
import type { EvaluationPhase } from '#schemas/api/evaluations.ts'

type Json<T> = ColumnType<T, string, string>
type JsonOrNull<T> = ColumnType<T | null, string | null | undefined, string | null>

/** One scoring of one revision by one suite; its id is that of the run that executes it. */
export interface EvaluationRow {
  id: string
  namespace: string
  namespace_uid: string
  suite: string
  suite_uid: string
  /** The suite as it was. */
  suite_spec: Json<EvalSuiteSpec>
  agent: string
  agent_uid: string
  revision: number
  /** Name of the ControllerRevision. */
  revision_name: string
  origin: 'request' | 'gate'
  phase: EvaluationPhase
  reason: string | null
  message: string | null
  min_score: number
  score: number | null
  baseline_revision: number | null
  baseline_score: number | null
  dataset: JsonOrNull<DatasetSnapshot>
  /** The run, until it is queued. */
  prepared: JsonOrNull<PreparedRun>
  /** Position of the next page of cases. */
  cursor: string | null
  all_read: Generated<boolean>
  judge_micros: Generated<bigint>
  run_micros: Generated<bigint>
  created_by: string
  created_at: Date
  started_at: Date | null
  finished_at: Date | null
}

/** A case of an evaluation. `content` is kept until it has a score or an error. */
export interface EvalCaseRow {
  evaluation_id: string
  case_id: string
  repetition: number
  input_digest: string
  content: JsonOrNull<DatasetCase>
  run_id: string | null
  /** Whether its first run was lost, and `run_id` is its last one. */
  was_lost: Generated<boolean>
  error: string | null
  score: number | null
  passed: boolean | null
}

/** A score of an evaluator. The note of a judge is content. */
export interface EvalScoreRow {
  evaluation_id: string
  case_id: string
  evaluator: string
  repetition: number
  score: number
  note: string | null
}

/** A revision that serves without having passed. */
export interface OverrideRow {
  agent_uid: string
  revision: number
  revision_name: string
  namespace: string
  namespace_uid: string
  suite: string
  agent: string
  reason: string
  created_by: string
  created_at: Date
}

/** What of a suite scores runs in production. */
export interface OnlineSpec extends Omit<NonNullable<EvalSuiteSpec['online']>, 'evaluators'> {
  readonly evaluators: readonly SuiteEvaluator[]
  /** Name of the route of the judge. */
  readonly judge?: string
}

/** An agent whose runs are scored: its gate names a suite that scores runs. */
export interface OnlineTargetRow {
  agent_uid: string
  namespace: string
  namespace_uid: string
  agent: string
  suite: string
  suite_uid: string
  spec: Json<OnlineSpec>
  /** Day of `day_runs`, in UTC. */
  day: ColumnType<string | null, string | null | undefined, string>
  /** Runs that were selected on that day. */
  day_runs: Generated<number>
}

/** A run that was selected. It refers to the run by its id and has none of its content. */
export interface OnlineRunRow {
  run_id: string
  agent_uid: string
  suite_uid: string
  at: Date
  state: 'waiting' | 'scored' | 'skipped'
  /** Why it has no scores, in CamelCase. */
  reason: string | null
  judge_micros: Generated<bigint>
  currency: string | null
}

/** A score of a selected run. */
export interface OnlineScoreRow {
  run_id: string
  evaluator: string
  agent_uid: string
  at: Date
  score: number
}

/** Tables of the plugin. */
export type EvalTables = {
  evals_online_targets: OnlineTargetRow
  evals_online_runs: OnlineRunRow
  evals_online_scores: OnlineScoreRow
  evals_evaluations: EvaluationRow
  evals_cases: EvalCaseRow
  evals_scores: EvalScoreRow
  evals_overrides: OverrideRow
}

/** An evaluation as selected. */
export type SelectedEvaluation = Selectable<EvaluationRow>

/** A case as selected. */
export type SelectedEvalCase = Selectable<EvalCaseRow>
