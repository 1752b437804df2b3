import { removeInBatches } from '#core/event-store/maintenance/remove-in-batches.ts'
import type { Store } from '#core/event-store/store.ts'
import type { Job } from '#core/jobs/background-work.ts'
import { removeOldCalls } from './store/prune-calls.ts'

const EVERY_MS = 600_000
const AT_ONCE = 1_000
const name = 'registries.calls-retention'

/** Removes calls that are older than what a response shows. */
export function registriesJobs(store: Store | undefined, role: string): readonly Job[] {
  if (store === undefined || role !== 'worker') return []
  const run: Job['run'] = (term) => removeInBatches({ store, job: name, batch: AT_ONCE, remove: removeOldCalls }, term)
  return [{ name, leaderOnly: true, every: EVERY_MS, run }]
}
