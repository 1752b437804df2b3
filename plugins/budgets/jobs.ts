import type { JobContext } from '#core/plugin/role-contexts.ts'
import type { Job } from '#core/jobs/background-work.ts'
import { budgetMetrics } from './contract/metrics.ts'
import type { BudgetsServices } from './services.ts'

const EXPIRE_EVERY_MS = 5_000
const REMOVE_EVERY_MS = 3_600_000
const AT_ONCE = 500

/** Ends leases and removes old holds. Every replica may run them: rows are locked, and a hold ends once. */
export function budgetsJobs({ core, ledger }: BudgetsServices, context: JobContext): readonly Job[] {
  if (context.role !== 'worker') return []
  const expired = core.metrics.counter(budgetMetrics.expired)
  return [
    {
      name: 'budgets.expire-holds',
      leaderOnly: false,
      every: EXPIRE_EVERY_MS,
      run: async ({ signal }) => {
        for (let count = AT_ONCE; count === AT_ONCE && !signal.aborted;) {
          count = await ledger.expire(AT_ONCE)
          if (count === 0) return
          expired.inc({}, count)
          core.log.warn({ holds: count }, 'holds expired and were charged')
        }
      },
    },
    {
      name: 'budgets.remove-holds',
      leaderOnly: true,
      every: REMOVE_EVERY_MS,
      run: async ({ signal }) => {
        for (let count = AT_ONCE; count === AT_ONCE && !signal.aborted;) count = await ledger.removeEnded(AT_ONCE)
      },
    },
  ]
}
