import { usageTable } from '#core/database/usage-table.ts'
import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import type { FoundRun } from '#plugins/runs/contract/api.ts'
import type { RecordingTables } from '../contract/tables.ts'

type RecordingTx = Transaction<RecordingTables>

/** A run with a recording. */
export type RecordedRun = Pick<FoundRun, 'id' | 'namespace' | 'namespaceUid'>

/** Sizes including a new part. */
export interface RecordingSize {
  readonly parts: number
  readonly bytes: number
  readonly ofNamespace: number
}

const usage = usageTable('recording_usage', { owner: 'namespace_uid', counts: ['bytes'] })

/** Counts a part of a run. Returns the sizes including it; undefined if the recording is being erased. The namespace is locked until COMMIT. */
export async function addPart(
  db: RecordingTx,
  { id, namespace, namespaceUid }: RecordedRun,
  bytes: number,
): Promise<RecordingSize | undefined> {
  const { rows } = await sql<{ parts: number; bytes: string }>`
    insert into recording_runs as r (run_id, namespace, namespace_uid, parts, bytes)
    values (${id}, ${namespace}, ${namespaceUid}, 1, ${bytes}::bigint)
    on conflict (run_id) do update
      set parts = r.parts + 1, bytes = r.bytes + excluded.bytes, updated_at = clock_timestamp()
      where r.erase_at is null
    returning parts, bytes::text as bytes`.execute(db)
  const [run] = rows
  if (run === undefined) return undefined
  const used = await usage.add(db, namespaceUid, { bytes })
  return { parts: run.parts, bytes: Number(run.bytes), ofNamespace: used.bytes }
}

/** Whether a part of a run was received, including one that the object store has lost. False while the recording is being erased. */
export async function isRecorded(db: Pick<RecordingTx, 'selectFrom'>, runId: string): Promise<boolean> {
  const found = db
    .selectFrom('recording_runs')
    .select('run_id')
    .where('run_id', '=', runId)
    .where('erase_at', 'is', null)
  return (await found.executeTakeFirst()) !== undefined
}

/** Reverts the count of a part that was not stored. */
export async function removePart(db: RecordingTx, { id, namespaceUid }: RecordedRun, bytes: number): Promise<void> {
  await sql`update recording_runs set parts = greatest(parts - 1, 0), bytes = greatest(bytes - ${bytes}::bigint, 0)
    where run_id = ${id}`.execute(db)
  await usage.subtract(db, [{ owner: namespaceUid, bytes }])
}

/** Records that recordings of removed runs must be erased. */
export async function requestRecordingErasure(db: RecordingTx, runIds: readonly string[]): Promise<void> {
  await sql`update recording_runs set erase_at = clock_timestamp()
    where run_id = any(${[...runIds]}::uuid[]) and erase_at is null`.execute(db)
}

/** Deletes the row of a recording whose parts are removed. False if it has received a new part since. */
export async function forgetRecording(db: RecordingTx, { runId, parts }: DueRecording): Promise<boolean> {
  const { rows } = await sql<{ namespace_uid: string; bytes: string }>`
    delete from recording_runs where run_id = ${runId} and parts = ${parts}
    returning namespace_uid, bytes::text as bytes`.execute(db)
  const [row] = rows
  if (row === undefined) return false
  await usage.subtract(db, [{ owner: row.namespace_uid, bytes: Number(row.bytes) }])
  return true
}

/** A recording to erase. */
export interface DueRecording {
  readonly runId: string
  readonly parts: number
  readonly reason: 'retention' | 'run'
}

// A part accepted earlier is stored within ten seconds, or fails.
const WRITES_END_AFTER = '1 minute'

/** Recordings of removed runs, and those older than `days`, by the clock of the database. */
export async function readDue(
  db: Pick<RecordingTx, 'getExecutor'>,
  { days, limit }: { readonly days: number; readonly limit: number },
): Promise<readonly DueRecording[]> {
  const { rows } = await sql<{ run_id: string; parts: number; gone: boolean }>`
    select run_id, parts, erase_at is not null as gone from recording_runs
    where (erase_at < clock_timestamp() - ${WRITES_END_AFTER}::interval
        or created_at < clock_timestamp() - make_interval(days => ${days}))
      and updated_at < clock_timestamp() - ${WRITES_END_AFTER}::interval
    order by run_id limit ${limit}`.execute(db)
  return rows.map(({ run_id, parts, gone }) => ({ runId: run_id, parts, reason: gone ? 'run' : 'retention' }))
}
