import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { NewJournal } from '../../contract/tables.ts'
import type { Db } from './db.ts'

/** Milliseconds since the start of the current segment, by the database's clock. */
export async function workedMs(db: Db, runId: string): Promise<number> {
  const { rows } = await sql<{ ms: number | null }>`
    select extract(epoch from clock_timestamp() - max(ts))::float8 * 1000 as ms
    from runs_journal where run_id = ${runId} and kind = 'run.started'`.execute(db)
  return rows[0]?.ms ?? 0
}

/** Bytes of entries that count as stored. */
export function journalBytes(entries: readonly NewJournal[]): number {
  return entries.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0)
}

/**
 * Inserts entries of the run in `lease`, a query of the same statement. The statement and its parameter count do not depend on the number of entries.
 */
export function insertEntries(entries: readonly NewJournal[]): RawBuilder<unknown> {
  return sql`insert into runs_journal (run_id, seq, ts, kind, path, span_id, data)
    select run_id, seq, ts, kind, path, span_id, data
    from lease, jsonb_to_recordset(${toJson(entries)}::jsonb)
      as entry (seq integer, ts timestamptz, kind text, path jsonb, span_id text, data jsonb)`
}

// Path and data are already JSON.
function toJson(entries: readonly NewJournal[]): string {
  const one = ({ seq, ts, kind, path, span_id, data }: NewJournal): string =>
    `{"seq":${seq},"ts":${JSON.stringify(ts)},"kind":${JSON.stringify(kind)},"path":${path},` +
    `"span_id":${JSON.stringify(span_id)},"data":${data}}`
  return `[${entries.map(one).join(',')}]`
}

/** Counts stored bytes for the namespace of the run in `lease`. */
export function addStoredBytes(bytes: number): RawBuilder<unknown> {
  return sql`insert into runs_storage (namespace_uid, shard, bytes)
    select namespace_uid, right(run_id::text, 1), ${bytes}::bigint from lease
    on conflict (namespace_uid, shard) do update set bytes = runs_storage.bytes + excluded.bytes`
}
