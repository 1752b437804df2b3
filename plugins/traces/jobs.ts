import type { Job } from '#core/jobs/background-work.ts'
import type { JobContext } from '#core/plugin/role-contexts.ts'
import type { TracesServices } from './services.ts'
import { removeExpiredSpans, removeOrphanedSpans } from './store/remove-spans.ts'

const REMOVE_EVERY_MS = 60_000
const AT_ONCE = 500

/** Removes spans whose time is over, or whose agent is gone. */
export function tracesJobs(services: TracesServices, { role }: JobContext): readonly Job[] {
  const { core, settings, removed } = services
  if (role !== 'worker') return []
  return [
    {
      name: 'traces.remove-spans',
      leaderOnly: true,
      every: REMOVE_EVERY_MS,
      run: async ({ signal }) => {
        for (let count = AT_ONCE; count === AT_ONCE && !signal.aborted;) {
          count = await core.store.transact((tx) => removeExpiredSpans(tx, settings.retentionDays, AT_ONCE))
          removed('expired', count)
        }
        for (let count = AT_ONCE; count === AT_ONCE && !signal.aborted;) {
          count = await core.store.transact((tx) => removeOrphanedSpans(tx, AT_ONCE))
          removed('agent_deleted', count)
        }
      },
    },
  ]
}
