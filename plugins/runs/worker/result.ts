import type { InvokeResult, LauncherEntry } from '#schemas/run.ts'
import { decideResult, type RunFact } from '../decide.ts'
import { type Claim, saveOutcome, savePause } from '../store/system.ts'
import type { SelectedRun } from '../store/tables.ts'
import { workerAuthor } from './author.ts'
import type { DriveServices } from './drive-services.ts'
import type { RevisionNote } from './revision.ts'

/** The result that a batch of entries ends with: the data of the launcher's last `run.*` entry. */
export function resultOf(entries: readonly LauncherEntry[]): InvokeResult | undefined {
  const last = entries.findLast((entry) => resultKinds.has(entry.kind))
  if (!last) return undefined
  // The launcher writes its InvokeResult as the data of this entry (schemas/run.ts); the state must say the same.
  if (isResult(last.data, last.kind)) return last.data
  throw new TypeError(`the launcher's ${last.kind} carries no result`)
}

function isResult(data: object, kind: string): data is InvokeResult {
  return 'state' in data && `run.${String(data.state)}` === kind && 'usage' in data
}

const resultKinds = new Set(['run.succeeded', 'run.failed', 'run.cancelled', 'run.timed_out', 'run.paused'])

/** Commits the result: state, outcome and, for a pause, the questions and where the agent stood. */
export async function recordResult(
  services: DriveServices,
  { claim, run, revision }: { readonly claim: Claim; readonly run: SelectedRun; readonly revision: RevisionNote },
  result: InvokeResult,
): Promise<void> {
  await services.writer.change(run.id, workerAuthor(claim, run), (facts) => ({
    facts: decideResult(facts, result),
    events: revision.pending(),
    content: contentOf(result),
    also: async (db) => {
      if (result.state === 'succeeded') await saveOutcome(db, run.id, { output: result.output })
      else if (result.state === 'failed') await saveOutcome(db, run.id, { error: result.message })
      else if (result.state === 'paused') await savePause(db, run.id, result.interrupts, result.checkpoint)
      else await saveOutcome(db, run.id, {})
    },
  }))
}

function contentOf(result: InvokeResult): Partial<Record<RunFact['fact'], Readonly<Record<string, unknown>>>> {
  if (result.state === 'succeeded') return { succeeded: { output: result.output } }
  if (result.state === 'failed') return { failed: { message: result.message } }
  if (result.state === 'paused') return { paused: { interrupts: result.interrupts } }
  return {}
}
