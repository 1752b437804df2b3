import type { Caller } from '#core/cluster/caller.ts'
import { idPattern } from '../caller-runs.ts'
import type { CallerRuns } from '../caller-runs.ts'
import { withCallerRuns } from '../services.ts'
import type { RunsServices } from '../services.ts'
import { readJournalEnds } from '../store/reads.ts'
import type { RunsTables, SelectedRun } from '../store/tables.ts'
import { streamRun } from '../stream/stream-run.ts'
import type { SendFrame } from '../stream/stream-run.ts'
import { waitForRun } from '../stream/wait-for-run.ts'
import type { RunDetail } from './to-run.ts'

/** Runs of callers, for plugins that serve them by another protocol. Each operation is within the caller's rights, as its route. */
export interface RunsOfCallers extends Pick<
  CallerRuns,
  'create' | 'get' | 'open' | 'list' | 'count' | 'mayUpdate' | 'resume' | 'cancel'
> {
  /** Waits until a run has ended or is paused; undefined after `timeoutMs`, or when the client disconnects. */
  wait(
    caller: Caller,
    id: string,
    options: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<RunDetail | undefined>
  /** Sequence number of the newest journal entry. 0 for an unknown run or an invalid id. */
  lastSeq(id: string): Promise<number>
  /** Sends the frames of a run that `open` returned, after a journal entry, until it ends or `signal` aborts. */
  stream(
    run: SelectedRun,
    after: number,
    options: { readonly send: SendFrame; readonly signal: AbortSignal },
  ): Promise<void>
}

/** Creates the runs of callers. */
export function createRunsOfCallers(given: RunsServices): RunsOfCallers {
  const services = withCallerRuns(given)
  const { runs, store, live } = services
  const db = store.reader<RunsTables>()
  return {
    ...runs,
    wait: (caller, id, options) => waitForRun(live, id, { ...options, read: () => runs.get(caller, id) }),
    lastSeq: async (id) => (idPattern.test(id) ? ((await readJournalEnds(db, [id])).get(id) ?? 0) : 0),
    stream: (run, after, options) => streamRun(services, run, after, options),
  }
}
