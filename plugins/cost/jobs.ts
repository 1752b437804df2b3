import type { Job } from '#core/jobs/background-work.ts'
import type { ManagerContext, WorkerContext } from '#core/plugin/role-contexts.ts'
import type { CostServices } from './services.ts'
import { removeOldCost } from './store/prune.ts'

const EVERY_MS = 3_600_000
const AT_ONCE = 1_000

/** Removes what is older than its retention. */
export function costJobs(
  { store, settings: { retentionDays } }: CostServices,
  { role }: WorkerContext | ManagerContext,
): readonly Job[] {
  if (role !== 'worker') return []
  return [
    {
      name: 'cost.retention',
      leaderOnly: true,
      every: EVERY_MS,
      run: async ({ signal }) => {
        for (let count = AT_ONCE; count === AT_ONCE && !signal.aborted;)
          count = await removeOldCost(store, { retentionDays, limit: AT_ONCE })
      },
    },
  ]
}
