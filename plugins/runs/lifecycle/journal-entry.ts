import type { EntryKind } from '#schemas/runs/run.ts'
import type { NewJournal } from '../contract/tables.ts'

/** A journal entry before it has a sequence number. */
export interface JournalEntry {
  readonly ts: Date
  readonly kind: EntryKind
  readonly path: readonly string[]
  readonly spanId: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Assigns sequence numbers after `last` to entries. */
export function toRows(runId: string, last: number, entries: readonly JournalEntry[]): readonly NewJournal[] {
  return entries.map((entry, index) => ({
    run_id: runId,
    seq: last + 1 + index,
    ts: entry.ts,
    kind: entry.kind,
    path: JSON.stringify(entry.path),
    span_id: entry.spanId,
    data: JSON.stringify(entry.data),
  }))
}
