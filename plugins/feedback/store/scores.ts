import { usageTable } from '#core/database/usage-table.ts'
import { sql } from 'kysely'
import type { RawBuilder, Transaction } from 'kysely'
import type { Access } from '#core/cluster/caller.ts'
import type { Reader } from '#core/event-store/store.ts'
import { readRows, whereEqual } from '#core/http/store/read-rows.ts'
import type { RowPage } from '#core/http/store/store-list.ts'
import type { ErasedSubject } from '#plugins/erasures/contract/points.ts'
import type { ScoreMatch } from '../contract/api.ts'
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

/** One page of the scores of the proof's namespace, newest first; '' means all. A re-created namespace does not include the former scores. */
export function listScores(
  db: Reader<FeedbackTables>,
  { namespace }: Access<'list', 'feedback'>,
  { runId, traceId, agent, name, since }: ScoreFilter,
  page: RowPage,
): Promise<readonly SelectedScore[]> {
  const where = [
    ...whereEqual('run_id', runId),
    ...whereEqual('trace_id', traceId),
    ...whereEqual('agent_name', agent),
    ...whereEqual('name', name),
    ...(since === undefined ? [] : [sql<boolean>`created_at >= ${since}`]),
  ]
  return readRows(db, {
    table: 'feedback_scores',
    namespace,
    where,
    order: { columns: ['id'], direction: 'desc' },
    page,
  })
}

/** Those of the runs with a score that matches. */
export async function readScoredRuns(
  db: Reader<FeedbackTables>,
  runIds: readonly string[],
  { name, min, max, equals }: ScoreMatch,
): Promise<ReadonlySet<string>> {
  const amount = sql`case when jsonb_typeof(value) = 'number' then (value #>> '{}')::float8 end`
  const where = [
    sql<boolean>`run_id = any(${[...runIds]}::uuid[])`,
    ...whereEqual('name', name),
    ...(min === undefined ? [] : [sql<boolean>`${amount} >= ${min}::float8`]),
    ...(max === undefined ? [] : [sql<boolean>`${amount} <= ${max}::float8`]),
    ...(equals === undefined ? [] : [sql<boolean>`value = ${JSON.stringify(equals)}::jsonb`]),
  ]
  const { rows } = await sql<{ id: string }>`
    select distinct run_id as id from feedback_scores where ${sql.join(where, sql` and `)}`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

const usage = usageTable('feedback_usage', { owner: 'namespace_uid', counts: ['scores'] })

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
export function deleteScores(db: FeedbackTx, runIds: readonly string[]): Promise<number> {
  return deleteWhere(db, sql`run_id = any(${[...runIds]}::uuid[])`)
}

/** Deletes at most `limit` scores that a person gave, in one namespace or in all. Returns their number. */
export function deleteScoresOf(
  db: FeedbackTx,
  { subject, namespaceUid }: Pick<ErasedSubject, 'subject' | 'namespaceUid'>,
  limit: number,
): Promise<number> {
  const where = namespaceUid === null ? sql`true` : sql`namespace_uid = ${namespaceUid}`
  return deleteWhere(
    db,
    sql`id in (select id from feedback_scores where source = 'person' and created_by = ${subject} and ${where} limit ${limit})`,
  )
}

async function deleteWhere(db: FeedbackTx, condition: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ owner: string; scores: number }>`
    with gone as (delete from feedback_scores where ${condition} returning namespace_uid)
    select namespace_uid as owner, count(*)::integer as scores from gone group by 1`.execute(db)
  await usage.subtract(db, rows)
  return rows.reduce((sum, { scores }) => sum + scores, 0)
}
