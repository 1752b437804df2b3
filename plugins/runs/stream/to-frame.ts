import type { JournalPage } from '../store/reads.ts'
import type { SelectedRun } from '../contract/tables.ts'
import type { LiveFrame } from '../contract/live-frame.ts'

/** A journal entry as it is sent to clients. */
export function toFrame(run: SelectedRun, row: JournalPage['entries'][number]): LiveFrame {
  return {
    v: 1,
    seq: row.seq,
    runId: run.id,
    ts: row.ts.toISOString(),
    kind: row.kind,
    agent: run.agent_name,
    path: row.path,
    spanId: row.span_id,
    data: row.data,
  }
}
