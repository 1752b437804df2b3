import { usageTable } from '#core/database/usage-table.ts'
import { sql } from 'kysely'
import type { Insertable, Transaction } from 'kysely'
import type { Access } from '#core/cluster/caller.ts'
import { inLiveNamespace } from '#core/cluster/object-index-sql.ts'
import type { Reader } from '#core/event-store/store.ts'
import type { FeedbackTables, ScoreRow, SelectedScore } from '../contract/tables.ts'

type FeedbackTx = Transaction<FeedbackTables>

/** Filters of a list of scores; `since` is the lower bound of `createdAt`. */
export interface ScoreFilter {
  readonly runId?: string | undefined
  readonly traceId?: string | undefined
  readonly agent?: string | undefined
  readonly name?: string | undefined
  readonly since?: Date | undefined
}

/** A page: its size and the id of the preceding row. */
export interface ScorePage {
  readonly limit: number
  readonly after: string | undefined
}

/** Scores of the proof's namespace, newest first; '' means all. A re-created namespace does not include the former scores. */
export async function listScores(
  db: Reader<FeedbackTables>,
  { namespace }: Access<'list', 'feedback'>,
  { runId, traceId, agent, name, since }: ScoreFilter,
  { limit, after }: ScorePage,
): Promise<readonly SelectedScore[]> {
  return db
    .selectFrom('feedback_scores')
    .selectAll()
    .where(inLiveNamespace('feedback_scores.namespace_uid'))
    .$if(namespace !== '', (query) => query.where('namespace', '=', namespace))
    .$if(runId !== undefined, (query) => query.where('run_id', '=', runId ?? ''))
    .$if(traceId !== undefined, (query) => query.where('trace_id', '=', traceId ?? ''))
    .$if(agent !== undefined, (query) => query.where('agent_name', '=', agent ?? ''))
    .$if(name !== undefined, (query) => query.where('name', '=', name ?? ''))
    .$if(since !== undefined, (query) => query.where('created_at', '>=', since ?? new Date(0)))
    .$if(after !== undefined, (query) => query.where('id', '<', after ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** Finds the score of a request with the same idempotency key. */
export function findKeyedScore(
  db: FeedbackTx,
  key: Buffer,
): Promise<Pick<SelectedScore, 'id' | 'request_hash'> | undefined> {
  const keyed = db.selectFrom('feedback_scores').select(['id', 'request_hash'])
  return keyed.where('request_key', '=', key).executeTakeFirst()
}

const usage = usageTable('feedback_usage', { owner: 'namespace_uid', counts: ['scores'] })

/** Inserts a score; false if a score with its idempotency key exists. */
export async function insertScore(db: FeedbackTx, row: Insertable<ScoreRow>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('feedback_scores')
    .values(row)
    .onConflict((conflict) => conflict.column('request_key').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** Counts a new score. Returns the numbers of scores of its namespace and run, including it; the namespace is locked until COMMIT. */
export async function countScore(
  db: FeedbackTx,
  { namespace_uid: uid, run_id: runId }: Pick<ScoreRow, 'namespace_uid' | 'run_id'>,
): Promise<{ readonly ofNamespace: number; readonly ofRun: number }> {
  const used = await usage.add(db, uid, { scores: 1 })
  const { count } = await db
    .selectFrom('feedback_scores')
    .select(sql<number>`count(*)::integer`.as('count'))
    .where('run_id', '=', runId)
    .executeTakeFirstOrThrow()
  return { ofNamespace: used.scores, ofRun: count }
}

/** Deletes the scores of runs. Returns their number. */
export async function deleteScores(db: FeedbackTx, runIds: readonly string[]): Promise<number> {
  const { rows } = await sql<{ owner: string; scores: number }>`
    with gone as (delete from feedback_scores where run_id = any(${[...runIds]}::uuid[]) returning namespace_uid)
    select namespace_uid as owner, count(*)::integer as scores from gone group by 1`.execute(db)
  await usage.subtract(db, rows)
  return rows.reduce((sum, { scores }) => sum + scores, 0)
}
