import { sql } from 'kysely'
import type { RawBuilder, Selectable, SelectQueryBuilder } from 'kysely'
import type { Access } from '#core/cluster/caller.ts'
import { inLiveNamespace, liveNamespaceUid } from '#core/cluster/object-index-sql.ts'
import type { JournalRow, RunsTables, SelectedRun } from '../contract/tables.ts'
import type { Reader } from '#core/event-store/store.ts'
import type { RunFilter, RunKey, RunPage } from '../contract/caller-runs.ts'

type Db = Reader<RunsTables>

/** A page of the runs of the proof's namespace; '' means all. A re-created namespace does not include the former runs. */
export async function listRuns(
  db: Db,
  access: Access<'list', 'runs'>,
  filter: RunFilter,
  page: RunPage,
): Promise<SelectedRun[]> {
  const { rows } = await selectPage(db, access, filter, page).execute(db)
  return rows
}

/** The statement of `listRuns`. An index yields its rows in order, so the cost does not depend on the number of runs. */
export function selectPage(
  ...[db, { namespace }, filter, { limit, after }]: Parameters<typeof listRuns>
): RawBuilder<SelectedRun> {
  const runs = narrowed(namespace === '' ? current(db) : currentOf(db, namespace), filter)
  if (!filter.label) {
    const page = runs.where(behind('runs_runs', 'id', after)).limit(limit)
    return sql<SelectedRun>`${page.orderBy('runs_runs.created_at', 'desc').orderBy('runs_runs.id', 'desc')}`
  }
  const [key, value] = filter.label
  const within = namespace === '' ? sql`true` : sql`runs_labels.namespace_uid = ${liveNamespaceUid(namespace)}`
  const young = filter.since ? sql`runs_labels.created_at >= ${filter.since}` : sql`true`
  // The lateral join keeps the order of labels; otherwise the planner reads and sorts every run with a common label.
  const run = runs.where('runs_runs.id', '=', sql.ref<string>('runs_labels.run_id')).limit(1)
  return sql<SelectedRun>`select run.* from runs_labels cross join lateral ${run} run
    where ${within} and key = ${key} and value = ${value} and ${young} and ${behind('runs_labels', 'run_id', after)}
    order by runs_labels.created_at desc, runs_labels.run_id desc limit ${limit}`
}

const MAX_COUNTED = 10_000

/** Number of runs of the proof's namespace; beyond 10,000 it is not counted. */
export async function countRuns(db: Db, { namespace }: Access<'list', 'runs'>, filter: RunFilter): Promise<number> {
  const runs = narrowed(namespace === '' ? current(db) : currentOf(db, namespace), filter)
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (${runs.clearSelect().select('id').limit(MAX_COUNTED)}) counted`.execute(db)
  return rows[0]?.count ?? 0
}

/** Namespace of a run: the only field that may be read before the access review, which needs it. */
export async function locateRun(db: Db, runId: string): Promise<string | undefined> {
  const row = await current(db).clearSelect().select('runs_runs.namespace').where('id', '=', runId).executeTakeFirst()
  return row?.namespace
}

// A trace across more namespaces than this is not a trace of delegations.
const TRACE_NAMESPACES = 20

/**
 * The oldest run of a trace in each namespace, oldest first: the fields that may be read before the access reviews. `agentUid` restricts them to one
 * agent.
 */
export async function firstOfTrace(
  db: Db,
  traceId: string,
  agentUid?: string,
): Promise<readonly { readonly id: string; readonly namespace: string }[]> {
  const { rows } = await sql<{ id: string; namespace: string }>`
    select id, namespace from (
      select distinct on (namespace) id, namespace, created_at from runs_runs
      where trace_id = ${traceId} and ${agentUid === undefined ? sql`true` : sql`agent_uid = ${agentUid}`}
        and ${inLiveNamespace('runs_runs.namespace_uid')}
      order by namespace, created_at, id) first
    order by created_at, id limit ${sql.lit(TRACE_NAMESPACES)}`.execute(db)
  return rows
}

/** Reads a run of the proof's namespace. */
export function readRun(db: Db, access: Access<string, 'runs'>, runId: string): Promise<SelectedRun | undefined> {
  return current(db).where('id', '=', runId).where('runs_runs.namespace', '=', access.namespace).executeTakeFirst()
}

/** Reads a run of the proof's namespace with its content. */
export async function readRunDetail(db: Db, access: Access<string, 'runs'>, runId: string) {
  return current(db)
    .innerJoin('runs_content', 'runs_content.run_id', 'runs_runs.id')
    .select([...contentColumns])
    .where('id', '=', runId)
    .where('runs_runs.namespace', '=', access.namespace)
    .executeTakeFirst()
}

const contentColumns = ['input', 'output', 'error', 'interrupts', 'decisions'] as const

/** Input, output, error and interrupts of a run that was read with a proof. */
export function readRunContent(db: Db, run: Pick<SelectedRun, 'id'>) {
  return db
    .selectFrom('runs_content')
    .select([...contentColumns])
    .where('run_id', '=', run.id)
    .executeTakeFirst()
}

/** Journal entries after a sequence number, in order. */
export function readJournal(db: Db, run: Pick<SelectedRun, 'id'>, after: number, limit: number) {
  return db
    .selectFrom('runs_journal')
    .selectAll()
    .where('run_id', '=', run.id)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .execute()
}

/** A page of a journal, and whether it is the last one. */
export interface JournalPage {
  readonly entries: readonly Selectable<JournalRow>[]
  readonly isLast: boolean
}

/**
 * Reads a page of journal entries after a sequence number: at most `rows`, and none after `bytes` of JSON. A stream thus holds at most
 * `bytes` and one entry in memory. Sequence numbers have no gaps, so each entry is read once, by its number.
 */
export async function readJournalPage(
  db: Db,
  run: Pick<SelectedRun, 'id'>,
  after: number,
  most: { readonly rows: number; readonly bytes: number },
): Promise<JournalPage> {
  const { rows: entries } = await sql<Selectable<JournalRow> & { readonly bytes: number }>`
    with recursive page as (
      (select *, octet_length(data::text) as bytes, 1 as place from runs_journal
        where run_id = ${run.id} and seq > ${after} order by seq limit 1)
      union all
      select next.*, page.bytes + octet_length(next.data::text), place + 1
      from page join runs_journal next on next.run_id = page.run_id and next.seq = page.seq + 1
      where page.bytes < ${most.bytes} and place < ${most.rows})
    select * from page order by seq`.execute(db)
  return { entries, isLast: entries.length < most.rows && (entries.at(-1)?.bytes ?? 0) < most.bytes }
}

/** Last sequence number of each run that exists. */
export async function readJournalEnds(db: Db, runIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (runIds.length === 0) return new Map()
  const { rows } = await sql<{ run_id: string; journal_seq: number }>`
    select run_id, journal_seq from runs_lease where run_id = any(${[...runIds]}::uuid[])`.execute(db)
  return new Map(rows.map((row) => [row.run_id, row.journal_seq]))
}

/** Sequence number of the last pause with an interrupt; undefined if there was none. */
export async function readPauseSeq(
  db: Db,
  { id }: Pick<SelectedRun, 'id'>,
  interruptId: string,
): Promise<number | undefined> {
  const paused = JSON.stringify({ interrupts: [{ id: interruptId }] })
  const row = await db
    .selectFrom('runs_journal')
    .select('seq')
    .where('run_id', '=', id)
    .where('kind', '=', 'run.paused')
    .where(sql<boolean>`data @> ${paused}::jsonb`)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.seq
}

/** Partial texts of the unfinished messages of a run. */
export function readPartials(db: Db, run: Pick<SelectedRun, 'id'>) {
  return db.selectFrom('runs_partial').selectAll().where('run_id', '=', run.id).execute()
}

/** Runs whose namespace has not been deleted or re-created since. */
function current(db: Db): SelectRuns {
  return db.selectFrom('runs_runs').selectAll('runs_runs').where(inLiveNamespace('runs_runs.namespace_uid'))
}

// With a single uid the index of a namespace yields its page. With a name or a join, all newer runs would be read (100 ms for 100,000).
function currentOf(db: Db, namespace: string): SelectRuns {
  return db
    .selectFrom('runs_runs')
    .selectAll('runs_runs')
    .where('runs_runs.namespace', '=', namespace)
    .where('runs_runs.namespace_uid', '=', liveNamespaceUid(namespace))
}

type SelectRuns = SelectQueryBuilder<RunsTables, 'runs_runs', SelectedRun>

function narrowed(runs: SelectRuns, filter: RunFilter): SelectRuns {
  const { agent, agentUid, conversationId, state, states, pauseReasons, since, changedSince } = filter
  let query = runs
  if (states !== undefined) query = query.where('state', 'in', [...states])
  if (pauseReasons !== undefined) query = query.where('pause_reason', 'in', [...pauseReasons])
  if (changedSince !== undefined)
    query = query.where(sql<boolean>`coalesce(finished_at, started_at, created_at) >= ${changedSince}`)
  if (agent !== undefined) query = query.where('agent_name', '=', agent)
  if (agentUid !== undefined) query = query.where('agent_uid', '=', agentUid)
  if (conversationId !== undefined) query = query.where('conversation_id', '=', conversationId)
  if (state !== undefined) query = query.where('state', '=', state)
  if (since !== undefined) query = query.where('created_at', '>=', since)
  return query
}

function behind(table: string, id: string, after: RunKey | undefined): RawBuilder<boolean> {
  if (!after) return sql<boolean>`true`
  const key = sql.join([sql.ref(`${table}.created_at`), sql.ref(`${table}.${id}`)])
  return sql<boolean>`(${key}) < (${after.createdAt}, ${after.id}::uuid)`
}
