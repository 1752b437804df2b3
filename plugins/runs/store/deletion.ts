import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { lockLeases } from './internal/lease.ts'
import type { RunsTables, RunsTx, SelectedRun } from '../contract/tables.ts'
import type { Reader } from '#core/event-store/store.ts'

type Db = Reader<RunsTables>

/** Ids of at most `limit` runs of a namespace. */
export async function runsOfNamespace(db: Db, namespaceUid: string, limit: number): Promise<readonly string[]> {
  const query = db.selectFrom('runs_runs').select('id').where('namespace_uid', '=', namespaceUid)
  return (await query.limit(limit).execute()).map(({ id }) => id)
}

/** Ids of at most `limit` runs of an agent that have not ended and are not being cancelled. */
export async function openRunsOfAgent(db: Db, agentUid: string, limit: number): Promise<readonly string[]> {
  const query = db.selectFrom('runs_runs').select('id').where('agent_uid', '=', agentUid)
  const open = query.where('state', 'in', ['queued', 'running', 'paused']).limit(limit)
  return (await open.execute()).map(({ id }) => id)
}

/** Runs of a subject, in one namespace or in all. */
export interface RunsOfSubject {
  readonly subject: string
  readonly namespaceUid: string | null
  readonly requestedAt: Date
}

/** Whether runs have ended, still have to be cancelled, or may be in any state. */
export type RunsToErase = 'ended' | 'open' | 'any'

const stateOf: Readonly<Record<RunsToErase, RawBuilder<unknown>>> = {
  ended: sql`r.finished_at is not null`,
  open: sql`r.state in ('queued', 'running', 'paused')`,
  any: sql`true`,
}

/**
 * Ids of at most `limit` runs of a subject whose root was created before the request, or within the minute by which clocks may differ. The newest
 * come first, so that no run outlives its root.
 */
export async function runsOfSubject(
  db: Db,
  { subject, namespaceUid, requestedAt }: RunsOfSubject,
  which: RunsToErase,
  limit: number,
): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select r.id from runs_runs r left join runs_runs root on root.id = r.root_run_id
    where r.subject = ${subject} and ${namespaceUid === null ? sql`true` : sql`r.namespace_uid = ${namespaceUid}`}
      and coalesce(root.created_at, r.created_at) <= ${requestedAt}::timestamptz + interval '1 minute' and ${stateOf[which]}
    order by r.created_at desc, r.id desc limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Whether a request was made longer ago than runs may take to end after their cancel, by the clock of the database. */
export async function isErasureOverdue(db: Db, { requestedAt }: Pick<RunsOfSubject, 'requestedAt'>): Promise<boolean> {
  const { rows } = await sql<{ overdue: boolean }>`
    select clock_timestamp() > ${requestedAt}::timestamptz + interval '5 minutes' as overdue`.execute(db)
  return rows[0]?.overdue === true
}

/** Ids of at most `limit` runs that ended more than `days` ago by the database's clock, oldest first. */
export async function runsFinishedBefore(db: Db, days: number, limit: number): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from runs_runs where finished_at < clock_timestamp() - make_interval(days => ${days})
    order by finished_at limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Ids of at most `limit` runs that have been paused for more than `days`. */
export async function runsPausedBefore(db: Db, days: number, limit: number): Promise<readonly string[]> {
  const { rows } = await sql<{ run_id: string }>`
    select run_id from runs_lease
    where state = 'waiting' and idle_since < clock_timestamp() - make_interval(days => ${days})
    order by idle_since limit ${limit}`.execute(db)
  return rows.map(({ run_id }) => run_id)
}

/**
 * Deletes the data of runs, except their events and rows of the read model; returns the runs that existed. Queue entries are locked
 * first, as by every writer, so a worker that executes one loses its lease. Shards are locked last and in order, so that writers of
 * other runs cannot deadlock.
 */
export async function deleteRunContent(db: RunsTx, ids: readonly string[]): Promise<readonly SelectedRun[]> {
  if (ids.length === 0) return []
  const among = sql<boolean>`run_id = any(${[...ids]}::uuid[])`
  await lockLeases(db, ids)
  const runs = await db.selectFrom('runs_runs').selectAll().where('id', 'in', ids).orderBy('id').execute()
  for (const table of ['runs_partial', 'runs_journal', 'runs_content', 'runs_rated'] as const)
    await db.deleteFrom(table).where(among).execute()
  const { rows } = await sql<{ namespace_uid: string; shard: string; bytes: string }>`
    with gone as (delete from runs_lease where ${among} returning namespace_uid, right(run_id::text, 1) as shard, bytes)
    select namespace_uid, shard, sum(bytes) as bytes from gone group by 1, 2 order by 1, 2`.execute(db)
  for (const { namespace_uid, shard, bytes } of rows)
    await sql`update runs_storage set bytes = greatest(bytes - ${bytes}::bigint, 0)
      where namespace_uid = ${namespace_uid} and shard = ${shard}`.execute(db)
  return runs
}

/** Deletes the byte counts of a namespace without runs. */
export async function forgetStorage(db: RunsTx, namespaceUid: string): Promise<void> {
  await db.deleteFrom('runs_storage').where('namespace_uid', '=', namespaceUid).execute()
}

/** Deletes at most `limit` partial texts of deleted runs, which a worker may write after the deletion. Returns their number. */
export async function dropOrphanPartials(db: RunsTx, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from runs_partial where (run_id, message_id) in (
      select run_id, message_id from runs_partial p
      where not exists (select 1 from runs_lease where run_id = p.run_id) limit ${limit})
    returning 1`.execute(db)
  return rows.length
}
