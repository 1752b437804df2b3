import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { Reader, Tx } from '#core/event-store/store.ts'
import { inLiveNamespace } from '#core/cluster/object-index-sql.ts'
import type { PreparedCase } from '../cases/prepare-case.ts'
import type { DatasetsTables, ExportRow } from '../contract/tables.ts'

type Db = Reader<DatasetsTables>

/** An export as selected. */
export type SelectedExport = Selectable<ExportRow>

/** Stores an export beside its run; a repeat changes nothing. */
export async function insertExport(tx: Tx, row: Omit<SelectedExport, 'finished_at' | 'output'>): Promise<void> {
  const db = tx.tables<DatasetsTables>()
  await db
    .insertInto('datasets_exports')
    .values({ ...row, finished_at: null, output: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** The export of a run, in a live namespace. */
export function findExport(db: Db, runId: string): Promise<SelectedExport | undefined> {
  return db
    .selectFrom('datasets_exports')
    .selectAll()
    .where('run_id', '=', runId)
    .where(inLiveNamespace('datasets_exports.namespace_uid'))
    .executeTakeFirst()
}

/** Adds cases that an export has read; `from` is the number of the first one. */
export async function stageCases(tx: Tx, runId: string, from: number, cases: readonly PreparedCase[]): Promise<void> {
  if (cases.length === 0) return
  const rows = cases.map(({ inputDigest, runId: source, traceId, tags, ...made }, index) => ({
    ...made,
    run_id: runId,
    n: from + index,
    input_digest: inputDigest,
    tags: [...tags],
    source_run_id: source,
    trace_id: traceId,
  }))
  await tx.tables<DatasetsTables>().insertInto('datasets_staged').values(rows).execute()
}

const STAGED_PAGE = 50

/** Reads the cases of an export in pages, in the order in which they were read. */
export async function* readStaged(db: Db, runId: string): AsyncGenerator<readonly PreparedCase[]> {
  for (let after = -1; ;) {
    const rows = await db
      .selectFrom('datasets_staged')
      .selectAll()
      .where('run_id', '=', runId)
      .where('n', '>', after)
      .orderBy('n')
      .limit(STAGED_PAGE)
      .execute()
    if (rows.length > 0)
      yield rows.map(({ input_digest: inputDigest, source_run_id: source, trace_id: traceId, ...row }) => ({
        id: row.id,
        digest: row.digest,
        inputDigest,
        input: row.input,
        expected: row.expected,
        metadata: row.metadata,
        tags: row.tags,
        runId: source,
        traceId,
        bytes: row.bytes,
      }))
    const last = rows.at(-1)
    if (last === undefined || rows.length < STAGED_PAGE) return
    after = last.n
  }
}

/** Marks an export as finished. Its cases stay for the file, or are removed once a dataset has them. */
export async function finishExport(
  tx: Tx,
  { run_id: runId, into_dataset: into }: SelectedExport,
  output: object,
  at: Date,
): Promise<void> {
  const db = tx.tables<DatasetsTables>()
  const finished = { finished_at: at, output: JSON.stringify(output) }
  await db.updateTable('datasets_exports').set(finished).where('run_id', '=', runId).execute()
  if (into !== null) await db.deleteFrom('datasets_staged').where('run_id', '=', runId).execute()
}

/** Removes at most `limit` cases of exports that are older than a number of days, and exports without any. Returns the number of rows. */
export async function removeOldExports(tx: Tx, days: number, limit: number): Promise<number> {
  const db = tx.tables<DatasetsTables>()
  const old = sql`(select run_id from datasets_exports where created_at < clock_timestamp() - make_interval(days => ${days}::integer))`
  const { rows } = await sql`delete from datasets_staged where (run_id, n) in (
    select run_id, n from datasets_staged where run_id in ${old} limit ${limit}) returning 1`.execute(db)
  if (rows.length === limit) return rows.length
  await sql`delete from datasets_exports where run_id in ${old}`.execute(db)
  return rows.length
}
