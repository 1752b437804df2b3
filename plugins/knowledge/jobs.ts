import type { Job } from '#core/jobs/background-work.ts'
import type { JobContext } from '#core/plugin/role-contexts.ts'
import type { KnowledgeServices } from './services.ts'
import { removeFinished } from './store/ingests.ts'

const REMOVE_EVERY_MS = 3_600_000
const AT_ONCE = 500

/** Removes finished ingests after their retention. */
export function knowledgeJobs({ core, settings }: KnowledgeServices, context: JobContext): readonly Job[] {
  if (context.role !== 'worker') return []
  return [
    {
      name: 'knowledge.remove-ingests',
      leaderOnly: true,
      every: REMOVE_EVERY_MS,
      run: async ({ signal }) => {
        for (let count = AT_ONCE; count === AT_ONCE && !signal.aborted;)
          count = await core.store.transact((tx) => removeFinished(tx, settings.ingestRetentionDays, AT_ONCE))
      },
    },
  ]
}
