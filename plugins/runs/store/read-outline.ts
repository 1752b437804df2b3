import { sql } from 'kysely'
import type { Reader } from '#core/event-store/store.ts'
import type { JournalRow, RunsTables, SelectedRun } from '../contract/tables.ts'

/** An entry without the content of its data. */
export type OutlineEntry = Pick<JournalRow, 'seq' | 'ts' | 'kind' | 'span_id'> & {
  readonly data: Readonly<Record<string, unknown>>
}

/** The first entries of a journal, with the fields that decide on the nodes of its tree. */
export async function readOutlineEntries(
  db: Reader<RunsTables>,
  run: Pick<SelectedRun, 'id'>,
  limit: number,
): Promise<readonly OutlineEntry[]> {
  const { rows } = await sql<OutlineEntry>`
    select seq, ts, kind, span_id, jsonb_strip_nulls(jsonb_build_object(
      'step', data -> 'step', 'messageId', data -> 'messageId', 'toolCallId', data -> 'toolCallId', 'runId', data -> 'runId',
      'id', data -> 'id', 'interruptId', data -> 'interruptId', 'parentSpanId', data -> 'parentSpanId', 'isError', data -> 'isError',
      'state', data -> 'state', 'action', data -> 'action', 'error', case when data ? 'error' then true end)) as data
    from runs_journal where run_id = ${run.id} order by seq limit ${limit}`.execute(db)
  return rows
}
