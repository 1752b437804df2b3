import { sql } from 'kysely'
import type { Reader } from '#core/event-store/store.ts'
import type { EvalTables } from '../contract/tables.ts'

type Db = Reader<EvalTables>

/** Number of cases by outcome: a case has an outcome once each of its repetitions has one. */
export interface CaseCounts {
  readonly total: number
  readonly passed: number
  readonly failed: number
  readonly errored: number
}

/** Counts the cases of evaluations, by evaluation. */
export async function countCases(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, CaseCounts>> {
  const { rows } = await sql<CaseCounts & { id: string }>`
    with cases as (
      select evaluation_id, case_id, bool_or(error is not null) as errored, bool_and(score is not null) as scored,
        bool_and(passed) as passed
      from evals_cases where evaluation_id = any(${[...ids]}::uuid[]) group by 1, 2)
    select evaluation_id as id, count(*)::int as total, (count(*) filter (where errored))::int as errored,
      (count(*) filter (where scored and passed))::int as passed,
      (count(*) filter (where scored and not passed))::int as failed
    from cases group by 1`.execute(db)
  return new Map(rows.map(({ id, ...counts }) => [id, counts]))
}

/** Means of an evaluation. */
export interface EvaluationMeans {
  /** Mean of the cases, each the mean of its repetitions; null without a score. */
  readonly score: number | null
  /** Means of the repetitions. */
  readonly repetitions: readonly number[]
  readonly evaluators: ReadonlyMap<string, number>
}

/** Reads the means of an evaluation. */
export async function readMeans(db: Db, id: string): Promise<EvaluationMeans> {
  const { rows } = await sql<{ part: string; key: string; mean: number }>`
    with means as (select case_id, avg(score) as mean from evals_cases where evaluation_id = ${id} and score is not null group by 1)
    select 'all' as part, '' as key, avg(mean)::float8 as mean from means having count(*) > 0
    union all
    select 'repetition', repetition::text, avg(score)::float8 from evals_cases
      where evaluation_id = ${id} and score is not null group by repetition
    union all
    select 'evaluator', evaluator, avg(score)::float8 from evals_scores where evaluation_id = ${id} group by evaluator`.execute(
    db,
  )
  const of = (part: string) => rows.filter((row) => row.part === part)
  return {
    score: of('all')[0]?.mean ?? null,
    repetitions: of('repetition').map(({ mean }) => mean),
    evaluators: new Map(of('evaluator').map(({ key, mean }) => [key, mean])),
  }
}

/** Scores of a case and of the same case in the baseline. */
export interface CaseResultRow {
  readonly case_id: string
  readonly input_digest: string
  readonly passed: boolean | null
  readonly score: number | null
  readonly baseline: number | null
  readonly run_ids: readonly string[]
  readonly baseline_run_ids: readonly string[] | null
  readonly error: string | null
  readonly scores: readonly { evaluator: string; repetition: number; score: number; note: string | null }[] | null
}

/** Reads results by case, in the order of their ids. */
export async function readCaseResults(
  db: Db,
  of: { readonly id: string; readonly baselineId: string | undefined },
  page: { readonly limit: number; readonly after: string | undefined },
): Promise<readonly CaseResultRow[]> {
  const { rows } = await sql<CaseResultRow>`
    with cases as (
      select case_id, max(input_digest) as input_digest, bool_and(passed) as passed, avg(score)::float8 as score,
        array_remove(array_agg(run_id::text order by repetition), null) as run_ids, max(error) as error
      from evals_cases where evaluation_id = ${of.id} and case_id > ${page.after ?? ''}
      group by case_id order by case_id limit ${page.limit})
    select cases.*, b.baseline, b.baseline_run_ids,
      (select jsonb_agg(jsonb_build_object('evaluator', evaluator, 'repetition', repetition, 'score', score, 'note', note)
        order by evaluator, repetition) from evals_scores s where s.evaluation_id = ${of.id} and s.case_id = cases.case_id) as scores
    from cases left join lateral (
      select avg(score)::float8 as baseline, array_remove(array_agg(run_id::text order by repetition), null) as baseline_run_ids
      from evals_cases where evaluation_id = ${of.baselineId ?? null}::uuid and case_id = cases.case_id) b on true
    order by case_id`.execute(db)
  return rows
}
