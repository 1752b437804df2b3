import { idPattern } from '../contract/run.ts'
import type { RunsOfCallers } from '../contract/caller-runs.ts'
import { withCallerRuns } from './create-services.ts'
import type { RunsServices } from './create-services.ts'
import { readJournalEnds } from '../store/reads.ts'
import type { RunsTables } from '../contract/tables.ts'
import { streamRun } from '../stream/stream-run.ts'
import { waitForRun } from '../stream/wait-for-run.ts'

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
