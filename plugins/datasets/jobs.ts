import { removeInBatches } from '#core/event-store/maintenance/remove-in-batches.ts'
import type { Tx } from '#core/event-store/store.ts'
import type { Job } from '#core/jobs/background-work.ts'
import type { JobContext } from '#core/plugin/role-contexts.ts'
import type { WriteServices } from './contract/services.ts'
import { removeOldExports } from './store/exports.ts'

const REMOVE_EVERY_MS = 3_600_000
const AT_ONCE = 500
const name = 'datasets.remove-exports'

/** Removes the files of exports after their retention. */
export function datasetsJobs({ store, settings }: WriteServices, context: JobContext): readonly Job[] {
  if (context.role !== 'worker') return []
  const remove = (tx: Tx, limit: number) => removeOldExports(tx, settings.exportRetentionDays, limit)
  return [
    {
      name,
      leaderOnly: true,
      every: REMOVE_EVERY_MS,
      run: (term) => removeInBatches({ store, job: name, batch: AT_ONCE, remove }, term),
    },
  ]
}
