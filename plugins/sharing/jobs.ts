import type { Job } from '#core/jobs/background-work.ts'
import type { JobContext } from '#core/plugin/role-contexts.ts'
import { removeInBatches } from '#core/event-store/maintenance/remove-in-batches.ts'
import type { Tx } from '#core/event-store/store.ts'
import type { SharingServices } from './services/create-services.ts'
import { removeShares } from './store/shares.ts'
import { shareUsage } from './store/usage.ts'
import type { SharingTables } from './contract/tables.ts'

const name = 'sharing.retention'
const EVERY_MS = 600_000
const READ_EVERY_MS = 60_000
const AT_ONCE = 200

/** Removes expired shares, and measures the bytes of all shares. */
export function sharingJobs(services: SharingServices, { role }: Pick<JobContext, 'role'>): readonly Job[] {
  return role === 'worker' ? [createShareRetention(services), metricsJob(services)] : []
}

/** The job that removes expired shares with their snapshots, in batches, each under the epoch (O5). */
export function createShareRetention(
  { store, removed }: Pick<SharingServices, 'store' | 'removed'>,
  batch = AT_ONCE,
): Job {
  return {
    name,
    leaderOnly: true,
    every: EVERY_MS,
    run: (term) => {
      const remove = async (tx: Tx, limit: number): Promise<number> => {
        const ids = await removeShares(tx.tables<SharingTables>(), { expired: limit })
        tx.afterCommit(() => removed('expired', ids))
        return ids.length
      }
      return removeInBatches({ store, job: name, batch, remove }, term)
    },
  }
}

function metricsJob({ store, stores }: Pick<SharingServices, 'store' | 'stores'>): Job {
  return {
    name: 'sharing.metrics',
    leaderOnly: false,
    every: READ_EVERY_MS,
    run: async () => stores(await shareUsage.total(store.reader<SharingTables>(), 'bytes')),
  }
}
