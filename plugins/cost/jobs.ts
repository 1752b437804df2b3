import { removeInBatches } from '#core/event-store/maintenance/remove-in-batches.ts'
import type { Tx } from '#core/event-store/store.ts'
import type { Job } from '#core/jobs/background-work.ts'
import type { ManagerContext, WorkerContext } from '#core/plugin/role-contexts.ts'
import type { CostServices } from './services.ts'
import { removeOldCost } from './store/prune.ts'

const EVERY_MS = 3_600_000
const AT_ONCE = 1_000
const name = 'cost.retention'

/** Removes rows older than their retention. */
export function costJobs(
  { store, settings: { retentionDays } }: CostServices,
  { role }: WorkerContext | ManagerContext,
): readonly Job[] {
  if (role !== 'worker') return []
  return [
    {
      name,
      leaderOnly: true,
      every: EVERY_MS,
      run: (term) => {
        const remove = (tx: Tx, limit: number) => removeOldCost(tx, { retentionDays, limit })
        return removeInBatches({ store, job: name, batch: AT_ONCE, remove }, term)
      },
    },
  ]
}
