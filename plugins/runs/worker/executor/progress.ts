import type { RunProgress } from '../../contract/run-progress.ts'
import type { RunsTables, SelectedRun } from '../../contract/tables.ts'
import { unnumberedFrame } from '../../lifecycle/unnumbered-frame.ts'
import { saveProgress } from '../../store/internal/executor-content.ts'
import type { Claim } from '../../store/internal/lease.ts'
import { AgentFault } from '../entries/agent-fault.ts'
import type { WorkerServices } from '../segment/worker-services.ts'
import { toStorableValue } from '#schemas/values/storable-text.ts'

const everyMs = 250
const storedEveryMs = 2_000
const maxMessage = 1024

/** Progress of one call of an executor. */
export interface ProgressReports {
  report(progress: RunProgress): void
  /** Ends the reports of the call; later ones are ignored. */
  close(): void
}

/**
 * Sends the latest of many reports, at most four a second. It is stored every two seconds for clients that connect later, while this worker holds the
 * lease.
 */
export function createProgress(
  { live, store }: Pick<WorkerServices, 'live' | 'store'>,
  { claim, run }: { readonly claim: Pick<Claim, 'runId' | 'epoch'>; readonly run: SelectedRun },
): ProgressReports {
  let latest: RunProgress | undefined
  let timer: NodeJS.Timeout | undefined
  let [storedAt, isClosed] = [-Infinity, false]
  const send = (): void => {
    timer = undefined
    if (latest === undefined) return
    const progress = latest
    latest = undefined
    timer = setTimeout(send, everyMs)
    live.frame(unnumberedFrame(run, 'run.progress', { ...progress }))
    if (performance.now() - storedAt < storedEveryMs) return
    storedAt = performance.now()
    // A lost write delays what clients see that connect later.
    store
      .transact((tx) => saveProgress(tx.tables<RunsTables>(), claim, JSON.stringify(progress)))
      .catch(() => undefined)
  }
  return {
    report(given) {
      const progress = readProgress(given)
      if (isClosed) return
      latest = progress
      if (timer === undefined) send()
    },
    close() {
      clearTimeout(timer)
      isClosed = true
      if (latest !== undefined) live.frame(unnumberedFrame(run, 'run.progress', { ...latest }))
    },
  }
}

/** Copies the fields of a report. Executors relay data that they were given. */
function readProgress({ done, total, message }: RunProgress): RunProgress {
  if (!isUnits(done)) throw refuse('done', 'must be a number of at least 0')
  if (total !== undefined && !isUnits(total)) throw refuse('total', 'must be a number of at least 0')
  if (message !== undefined && (typeof message !== 'string' || message.length > maxMessage))
    throw refuse('message', `must be a string of at most ${maxMessage} characters`)
  return {
    done,
    ...(total === undefined ? {} : { total }),
    ...(message === undefined ? {} : { message: toStorableValue(message) }),
  }
}

function isUnits(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER
}

function refuse(field: string, requirement: string): AgentFault {
  return new AgentFault('invalid_entry', `The executor reported invalid progress: ${field} ${requirement}.`)
}
