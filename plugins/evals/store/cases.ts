import { sql } from 'kysely'
import type { Reader } from '#core/event-store/store.ts'
import type { DatasetCase } from '#plugins/datasets/contract/api.ts'
import type { EvalTables, EvalScoreRow, SelectedEvalCase } from '../contract/tables.ts'
import type { EvalsTx } from './evaluations.ts'

type Db = Reader<EvalTables>

/** A case in one of its repetitions. */
export type CaseKey = Pick<SelectedEvalCase, 'evaluation_id' | 'case_id' | 'repetition'>

/** Stores cases in each repetition; those that are stored already are unchanged. */
export async function insertCases(
  db: EvalsTx,
  id: string,
  cases: readonly DatasetCase[],
  repetitions: number,
): Promise<void> {
  const rows = cases.map((one) => ({ case_id: one.id, input_digest: one.inputDigest, content: one }))
  await sql`insert into evals_cases (evaluation_id, case_id, repetition, input_digest, content)
    select ${id}, case_id, repetition, input_digest, content
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (case_id text, input_digest text, content jsonb),
      generate_series(1, ${repetitions}::integer) as repetition
    on conflict do nothing`.execute(db)
}

/** Cases without an outcome: those whose run is started first, then those that wait, at most `limit`. */
export function readOpenCases(db: Db, id: string, limit: number): Promise<SelectedEvalCase[]> {
  return db
    .selectFrom('evals_cases')
    .selectAll()
    .where('evaluation_id', '=', id)
    .where('score', 'is', null)
    .where('error', 'is', null)
    .orderBy(sql`run_id is null`)
    .orderBy('case_id')
    .orderBy('repetition')
    .limit(limit)
    .execute()
}

/** Records the run of a case. */
export async function startCase(db: EvalsTx, key: CaseKey, runId: string): Promise<void> {
  await whereCase(db, key).set({ run_id: runId }).execute()
}

/** Lets a case whose run was lost wait for its second and last run. */
export async function repeatCase(db: EvalsTx, key: CaseKey): Promise<void> {
  await whereCase(db, key).set({ run_id: null, was_lost: true }).execute()
}

/** Records that a case has no score. */
export async function failCase(db: EvalsTx, key: CaseKey, error: string): Promise<void> {
  await whereCase(db, key)
    .set({ error: error.slice(0, 500), content: null })
    .execute()
}

/** Records the scores of a case. */
export async function scoreCase(
  db: EvalsTx,
  key: CaseKey,
  outcome: { readonly score: number; readonly passed: boolean; readonly scores: readonly CaseScore[] },
): Promise<void> {
  const { score, passed, scores } = outcome
  await whereCase(db, key).set({ score, passed, content: null }).execute()
  if (scores.length === 0) return
  const { evaluation_id, case_id, repetition } = key
  const rows = scores.map((one) => ({ evaluation_id, case_id, repetition, ...one }))
  await db
    .insertInto('evals_scores')
    .values(rows)
    .onConflict((on) => on.doNothing())
    .execute()
}

/** A score of an evaluator. */
export type CaseScore = Pick<EvalScoreRow, 'evaluator' | 'score' | 'note'>

function whereCase(db: EvalsTx, { evaluation_id: id, case_id: caseId, repetition }: CaseKey) {
  return db
    .updateTable('evals_cases')
    .where('evaluation_id', '=', id)
    .where('case_id', '=', caseId)
    .where('repetition', '=', repetition)
}

/** Records for all open cases that they have no score. */
export async function failOpenCases(db: EvalsTx, id: string, error: string): Promise<void> {
  await sql`update evals_cases set error = ${error}, content = null
    where evaluation_id = ${id} and score is null and error is null`.execute(db)
}

/** The case of a run of an evaluation, with the tools that it may call. */
export async function findCaseOfRun(db: Db, runId: string) {
  return db
    .selectFrom('evals_cases')
    .innerJoin('evals_evaluations', 'evals_evaluations.id', 'evals_cases.evaluation_id')
    .select(['evaluation_id', 'case_id', 'repetition', 'content', 'suite_spec', 'agent_uid'])
    .where('run_id', '=', runId)
    .executeTakeFirst()
}
