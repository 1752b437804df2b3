import type { InvokeResult, LauncherEntry } from '#schemas/run.ts'
import { decideResult } from '../lifecycle/decide.ts'
import type { RunFact } from '../lifecycle/decide.ts'
import { saveOutcome, savePause } from '../store/internal/content.ts'
import type { Claim } from '../store/internal/lease.ts'
import type { SelectedRun } from '../store/tables.ts'
import { workerAuthor } from '../lifecycle/run-writer.ts'
import type { WorkerServices } from './worker-services.ts'
import { readResult } from './read-result.ts'
import type { RevisionRecord } from './record-revision.ts'

/** The result in a batch of entries: the data of the last `run.*` entry of the launcher. */
export function resultOf(entries: readonly LauncherEntry[]): InvokeResult | undefined {
  const last = entries.findLast((entry) => resultKinds.has(entry.kind))
  return last && readResult(last.data, last.kind)
}

const resultKinds = new Set(['run.succeeded', 'run.failed', 'run.cancelled', 'run.timed_out', 'run.paused'])

/** Commits the result: state, outcome and, for a pause, the questions and the checkpoint of the agent. */
export async function recordResult(
  services: WorkerServices,
  { claim, run, revision }: { readonly claim: Claim; readonly run: SelectedRun; readonly revision: RevisionRecord },
  result: InvokeResult,
): Promise<void> {
  await services.writer.change(run.id, workerAuthor(claim, run), (facts) => ({
    facts: decideResult(facts, result),
    events: revision.pending(),
    content: contentOf(result),
    contentBytes: bytesOf(result),
    also: async (db) => {
      if (result.state === 'succeeded') await saveOutcome(db, run.id, { output: result.output })
      else if (result.state === 'failed' || result.state === 'timed_out')
        await saveOutcome(db, run.id, result.message === undefined ? {} : { error: result.message })
      else if (result.state === 'paused') await savePause(db, run.id, result.interrupts, result.checkpoint)
      else await saveOutcome(db, run.id, {})
    },
  }))
}

// Bytes of the content row, beside the journal entry with the same data.
function bytesOf(result: InvokeResult): number {
  if (result.state === 'succeeded') return jsonBytes(result.output)
  if (result.state === 'failed' || result.state === 'timed_out') return Buffer.byteLength(result.message ?? '')
  return result.state === 'paused' ? jsonBytes(result.interrupts) + jsonBytes(result.checkpoint) : 0
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value ?? null))
}

function contentOf(result: InvokeResult): Partial<Record<RunFact['fact'], Readonly<Record<string, unknown>>>> {
  if (result.state === 'succeeded') return { succeeded: { output: result.output } }
  if (result.state === 'failed') return { failed: { message: result.message } }
  if (result.state === 'timed_out' && result.message !== undefined) return { 'timed-out': { message: result.message } }
  if (result.state === 'paused') return { paused: { interrupts: result.interrupts } }
  return {}
}
