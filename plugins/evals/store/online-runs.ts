import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Reader } from '#core/event-store/store.ts'
import type { EvalTables, OnlineRunRow } from '../contract/tables.ts'
import type { OutputScore } from '../evaluators/score-output.ts'
import type { EvalsTx } from './evaluations.ts'

/** Stores selected runs. Returns those that were not selected before. */
export async function insertOnlineRuns(
  db: EvalsTx,
  rows: readonly Pick<OnlineRunRow, 'run_id' | 'agent_uid' | 'suite_uid' | 'at' | 'state' | 'reason'>[],
): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set()
  const made = await db
    .insertInto('evals_online_runs')
    .values([...rows])
    .onConflict((on) => on.doNothing())
    .returning('run_id')
    .execute()
  return new Set(made.map(({ run_id: id }) => id))
}

/** A selected run that waits for its scores; undefined if it has them. */
export function findWaitingRun(db: Reader<EvalTables>, runId: string) {
  return db
    .selectFrom('evals_online_runs')
    .innerJoin('evals_online_targets', 'evals_online_targets.agent_uid', 'evals_online_runs.agent_uid')
    .select(['run_id', 'evals_online_runs.agent_uid', 'namespace', 'namespace_uid', 'agent', 'suite', 'spec', 'at'])
    .select('evals_online_targets.suite_uid')
    .where('run_id', '=', runId)
    .where('state', '=', 'waiting')
    .executeTakeFirst()
}

/** How the scoring of a run ended. */
export interface OnlineOutcome {
  /** Why it has no scores, in CamelCase; null if it has. */
  readonly reason: string | null
  readonly scores: readonly OutputScore[]
  readonly judge: { readonly micros: bigint; readonly currency: string | null }
}

/** Records the end of the scoring of a run; false if it had ended before. */
export async function endOnlineRun(db: EvalsTx, runId: string, outcome: OnlineOutcome): Promise<boolean> {
  const { reason, scores, judge } = outcome
  const ends = { state: reason === null ? 'scored' : 'skipped', reason, currency: judge.currency } as const
  const ended = await db
    .updateTable('evals_online_runs')
    .set({ ...ends, judge_micros: judge.micros })
    .where('run_id', '=', runId)
    .where('state', '=', 'waiting')
    .returning(['agent_uid', 'at'])
    .executeTakeFirst()
  if (ended === undefined) return false
  const rows = scores.map(({ evaluator, score }) => ({ run_id: runId, evaluator, score, ...ended }))
  if (rows.length > 0) await db.insertInto('evals_online_scores').values(rows).execute()
  return true
}

/** Removes selected runs with their scores, at most `limit`. Returns their number. */
export async function deleteOnlineRuns(db: EvalsTx, condition: RawBuilder<unknown>, limit: number): Promise<number> {
  const { rows } = await sql`delete from evals_online_runs where run_id in (
    select run_id from evals_online_runs where ${condition} limit ${limit}) returning 1`.execute(db)
  return rows.length
}

/** Removes selected runs that are older than the retention. Returns their number. */
export function removeOldOnlineRuns(db: EvalsTx, retentionDays: number, limit: number): Promise<number> {
  return deleteOnlineRuns(db, sql`at < clock_timestamp() - make_interval(days => ${retentionDays})`, limit)
}
