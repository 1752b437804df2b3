import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { Access } from '#core/cluster/caller.ts'
import { inLiveNamespace } from '#core/cluster/object-index-sql.ts'
import type { JournalRow, RunsTables, SelectedRun } from '../contract/tables.ts'
import type { Reader } from '#core/event-store/store.ts'
import { current } from './lists/select-runs.ts'

type Db = Reader<RunsTables>

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

/** Message of the error of a run that was read with a proof. */
export async function readRunError(db: Db, run: Pick<SelectedRun, 'id'>): Promise<string | null | undefined> {
  const row = await db.selectFrom('runs_content').select('error').where('run_id', '=', run.id).executeTakeFirst()
  return row?.error
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
