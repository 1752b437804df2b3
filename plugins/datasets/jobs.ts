import { removeInBatches } from '#core/event-store/maintenance/remove-in-batches.ts'
import type { Tx } from '#core/event-store/store.ts'
import type { Job } from '#core/jobs/background-work.ts'
import type { JobContext } from '#core/plugin/role-contexts.ts'
import type { WriteServices } from './contract/services.ts'
import { removeOldExports } from './store/exports.ts'
import { removeOldSnapshots } from './store/prune-snapshots.ts'

const REMOVE_EVERY_MS = 3_600_000
const EXPORTS_AT_ONCE = 500
// Each may end the contents of a whole dataset.
const SNAPSHOTS_AT_ONCE = 10

/** Removes the files of exports, and the snapshots of evaluations, after their retention. */
export function datasetsJobs({ store, settings }: WriteServices, context: JobContext): readonly Job[] {
  if (context.role !== 'worker') return []
  const { exportRetentionDays, snapshotRetentionDays } = settings
  const hourly = (name: string, batch: number, remove: (tx: Tx, limit: number) => Promise<number>): Job => ({
    name,
    leaderOnly: true,
    every: REMOVE_EVERY_MS,
    run: (term) => removeInBatches({ store, job: name, batch, remove }, term),
  })
  return [
    hourly('datasets.remove-exports', EXPORTS_AT_ONCE, (tx, limit) => removeOldExports(tx, exportRetentionDays, limit)),
    hourly('datasets.remove-snapshots', SNAPSHOTS_AT_ONCE, (tx, limit) =>
      removeOldSnapshots(tx, snapshotRetentionDays, limit),
    ),
  ]
}
