import { removeInBatches } from '#core/event-store/maintenance/remove-in-batches.ts'
import type { Tx } from '#core/event-store/store.ts'
import type { Job } from '#core/jobs/background-work.ts'
import type { JobContext } from '#core/plugin/role-contexts.ts'
import type { KnowledgeServices } from './services/create-services.ts'
import { removeFinished } from './store/ingests.ts'

const REMOVE_EVERY_MS = 3_600_000
const AT_ONCE = 500
const name = 'knowledge.remove-ingests'

/** Removes finished ingests after their retention. */
export function knowledgeJobs({ core, settings }: KnowledgeServices, context: JobContext): readonly Job[] {
  if (context.role !== 'worker') return []
  return [
    {
      name,
      leaderOnly: true,
      every: REMOVE_EVERY_MS,
      run: (term) => {
        const remove = (tx: Tx, limit: number) => removeFinished(tx, settings.ingestRetentionDays, limit)
        return removeInBatches({ store: core.store, job: name, batch: AT_ONCE, remove }, term)
      },
    },
  ]
}
