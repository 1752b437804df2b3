import { removeInBatches } from '#core/event-store/maintenance/remove-in-batches.ts'
import type { Tx } from '#core/event-store/store.ts'
import type { Job } from '#core/jobs/background-work.ts'
import type { JobContext } from '#core/plugin/role-contexts.ts'
import type { EvalsServices } from './contract/services.ts'
import type { EvalTables } from './contract/tables.ts'
import { removeOldOnlineRuns } from './store/online-runs.ts'

const REMOVE_EVERY_MS = 3_600_000
const AT_ONCE = 1_000
const name = 'evals.online-retention'

/** Removes online scores after their retention. */
export function evalsJobs({ store, settings }: EvalsServices, context: JobContext): readonly Job[] {
  if (context.role !== 'worker') return []
  const remove = (tx: Tx, limit: number) =>
    removeOldOnlineRuns(tx.tables<EvalTables>(), settings.onlineRetentionDays, limit)
  return [
    {
      name,
      leaderOnly: true,
      every: REMOVE_EVERY_MS,
      run: (term) => removeInBatches({ store, job: name, batch: AT_ONCE, remove }, term),
    },
  ]
}
