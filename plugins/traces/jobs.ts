import { removeInBatches } from '#core/event-store/maintenance/remove-in-batches.ts'
import type { Job } from '#core/jobs/background-work.ts'
import type { Tx } from '#core/event-store/store.ts'
import type { JobContext } from '#core/plugin/role-contexts.ts'
import type { TracesServices } from './services/create-services.ts'
import { removeExpiredSpans, removeOrphanedSpans } from './store/remove-spans.ts'

const REMOVE_EVERY_MS = 60_000
const AT_ONCE = 500
const name = 'traces.remove-spans'

/** Removes expired spans, and spans of deleted agents. */
export function tracesJobs(services: TracesServices, { role }: JobContext): readonly Job[] {
  const { core, settings, removed } = services
  if (role !== 'worker') return []
  return [
    {
      name,
      leaderOnly: true,
      every: REMOVE_EVERY_MS,
      run: async (term) => {
        const of = { store: core.store, job: name, batch: AT_ONCE }
        const expired = (tx: Tx, limit: number) => removeExpiredSpans(tx, settings.retentionDays, limit)
        await removeInBatches({ ...of, remove: expired, removed: (count) => removed('expired', count) }, term)
        const orphaned = { ...of, remove: removeOrphanedSpans }
        await removeInBatches({ ...orphaned, removed: (count) => removed('agent_deleted', count) }, term)
      },
    },
  ]
}
