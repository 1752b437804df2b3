import type { LiveFrame } from '../contract/live-frame.ts'
import type { SelectedRun } from '../contract/tables.ts'
import { nameOfRun } from './run-writer.ts'

/** A frame of a run's stream that has no entry in the journal. */
export function unnumberedFrame(run: SelectedRun, kind: string, data: LiveFrame['data']): LiveFrame {
  const path = [nameOfRun(run)]
  return { v: 1, runId: run.id, ts: new Date().toISOString(), kind, agent: run.agent_name, path, spanId: '', data }
}
