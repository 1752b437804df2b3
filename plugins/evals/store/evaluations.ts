import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import type { Reader } from '#core/event-store/store.ts'
import type { EvalTables, EvaluationRow, SelectedEvaluation } from '../contract/tables.ts'

/** A transaction on the tables of the plugin. */
export type EvalsTx = Transaction<EvalTables>

type Db = Reader<EvalTables>

/** Evaluations of a suite that are kept. */
const MAX_KEPT = 500

/** A new evaluation. */
export type NewEvaluation = Pick<
  EvaluationRow,
  | 'id'
  | 'namespace'
  | 'namespace_uid'
  | 'suite'
  | 'suite_uid'
  | 'agent'
  | 'agent_uid'
  | 'revision'
  | 'revision_name'
  | 'origin'
  | 'min_score'
  | 'baseline_revision'
  | 'created_by'
  | 'created_at'
> & { readonly suite_spec: object; readonly prepared: object }

/** Stores an evaluation that waits for its cases. */
export async function insertEvaluation(db: EvalsTx, given: NewEvaluation): Promise<void> {
  const values = {
    ...given,
    suite_spec: JSON.stringify(given.suite_spec),
    prepared: JSON.stringify(given.prepared),
    phase: 'Pending' as const,
  }
  await db.insertInto('evals_evaluations').values(values).execute()
  await sql`delete from evals_evaluations where phase not in ('Pending', 'Running') and id in (
    select id from evals_evaluations where suite_uid = ${given.suite_uid} order by id desc offset ${MAX_KEPT})`.execute(
    db,
  )
}

/** Finds an evaluation, locked until COMMIT in a transaction. */
export async function lockEvaluation(db: EvalsTx, id: string): Promise<SelectedEvaluation | undefined> {
  return db.selectFrom('evals_evaluations').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

/** Finds an evaluation by its id. */
export function findEvaluation(db: Db, id: string): Promise<SelectedEvaluation | undefined> {
  return db.selectFrom('evals_evaluations').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Evaluations of a suite that have no run yet, oldest first. */
export function readUnqueued(db: Db, suiteUid: string): Promise<SelectedEvaluation[]> {
  return db
    .selectFrom('evals_evaluations')
    .selectAll()
    .where('suite_uid', '=', suiteUid)
    .where('phase', '=', 'Pending')
    .where('prepared', 'is not', null)
    .orderBy('id')
    .limit(32)
    .execute()
}

/** Which evaluations are read. */
export interface EvaluationFilter {
  readonly suiteUid?: string | undefined
  readonly agentUid?: string | undefined
  readonly agent?: string | undefined
  readonly revision?: number | undefined
  readonly scored?: true
}

/** The newest evaluations, newest first. */
export function readEvaluations(db: Db, filter: EvaluationFilter, limit: number): Promise<SelectedEvaluation[]> {
  const { suiteUid, agentUid, agent, revision, scored } = filter
  let query = db.selectFrom('evals_evaluations').selectAll().orderBy('id', 'desc').limit(limit)
  if (suiteUid !== undefined) query = query.where('suite_uid', '=', suiteUid)
  if (agentUid !== undefined) query = query.where('agent_uid', '=', agentUid)
  if (agent !== undefined) query = query.where('agent', '=', agent)
  if (revision !== undefined) query = query.where('revision', '=', revision)
  if (scored === true) query = query.where('score', 'is not', null)
  return query.execute()
}

/** How an evaluation changes. */
export type EvaluationChange = Partial<
  Pick<
    EvaluationRow,
    'phase' | 'reason' | 'message' | 'score' | 'baseline_score' | 'cursor' | 'started_at' | 'finished_at'
  >
> & { readonly dataset?: string; readonly prepared?: null; readonly all_read?: boolean }

/** Changes an evaluation that has not ended; false if it has. */
export async function changeEvaluation(db: EvalsTx, id: string, change: EvaluationChange): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('evals_evaluations')
    .set(change)
    .where('id', '=', id)
    .where('phase', 'in', ['Pending', 'Running'])
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Adds the costs of a case, in micro-units. */
export async function addCosts(
  db: EvalsTx,
  id: string,
  { judge, runs }: { readonly judge: bigint; readonly runs: bigint },
): Promise<void> {
  if (judge === 0n && runs === 0n) return
  await sql`update evals_evaluations set judge_micros = judge_micros + ${String(judge)}::bigint,
    run_micros = run_micros + ${String(runs)}::bigint where id = ${id}`.execute(db)
}

/** Removes the evaluations of suites or agents that were deleted, oldest first. Returns their number. */
export async function deleteEvaluations(
  db: EvalsTx,
  column: 'suite_uid' | 'agent_uid',
  uid: string,
  limit: number,
): Promise<number> {
  const { rows } = await sql`delete from evals_evaluations where id in (
    select id from evals_evaluations where ${sql.ref(column)} = ${uid} order by id limit ${limit}) returning 1`.execute(
    db,
  )
  return rows.length
}
