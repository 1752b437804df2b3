import { sql } from 'kysely'
import type { Reader } from '#core/event-store/store.ts'
import type { EvalTables } from '../contract/tables.ts'

type Db = Reader<EvalTables>

/** A window of the scores of an agent. */
export interface OnlineWindow {
  readonly agentUid: string
  readonly from: Date
  readonly to: Date
  /** Width of the bins in seconds; the first one begins at `from`. */
  readonly width: number
}

/** Mean of the scores of an evaluator in a bin. */
export interface EvaluatorBin {
  readonly evaluator: string
  readonly at: Date
  readonly score: number
  readonly count: number
}

/** Means by evaluator and bin, in the order of names and times. */
export async function readBins(db: Db, window: OnlineWindow): Promise<readonly EvaluatorBin[]> {
  const { agentUid, from, to, width } = window
  const { rows } = await sql<EvaluatorBin>`
    select evaluator, date_bin(make_interval(secs => ${width}::float8), at, ${from}::timestamptz) as at,
      avg(score)::float8 as score, count(*)::int as count
    from evals_online_scores where agent_uid = ${agentUid} and at >= ${from} and at < ${to}
    group by 1, 2 order by 1, 2`.execute(db)
  return rows
}

/** Selected runs by outcome. */
export interface OnlineCounts {
  readonly state: 'waiting' | 'scored' | 'skipped'
  readonly reason: string | null
  readonly currency: string | null
  readonly runs: number
  readonly micros: bigint
}

/** Counts the selected runs of a window by outcome and currency. */
export async function countOnlineRuns(db: Db, { agentUid, from, to }: OnlineWindow): Promise<readonly OnlineCounts[]> {
  const { rows } = await sql<OnlineCounts>`
    select state, reason, currency, count(*)::int as runs, sum(judge_micros)::bigint as micros
    from evals_online_runs where agent_uid = ${agentUid} and at >= ${from} and at < ${to}
    group by 1, 2, 3 order by runs desc, reason`.execute(db)
  return rows
}

/** Name of the suite that scores runs of an agent now. */
export async function findTargetSuite(db: Db, agentUid: string): Promise<string | null> {
  const found = await db
    .selectFrom('evals_online_targets')
    .select('suite')
    .where('agent_uid', '=', agentUid)
    .executeTakeFirst()
  return found?.suite ?? null
}
