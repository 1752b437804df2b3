import type { Job } from '#core/jobs/background-work.ts'
import { assertEpoch } from '#core/database/leader-election.ts'
import type { Store } from '#core/event-store/store.ts'
import { deleteRuns } from './delete-runs.ts'
import { dropExpiredPrepared } from '../store/internal/prepared.ts'
import { dropOrphanPartials, runsFinishedBefore, runsPausedBefore } from '../store/deletion.ts'
import type { RunsTables } from '../contract/tables.ts'

const name = 'runs.retention'
const actor = { name, kind: 'controller' } as const
const hourly = 3_600_000

/** Dependencies of retention. `removed` is called with the number of removed runs after each COMMIT. */
export interface RunRetentionOptions {
  readonly store: Store
  readonly retentionDays: number
  readonly removed: (runs: number) => void
  /** Maximum number of runs removed by one transaction. */
  readonly batch?: number
}

/**
 * The job that removes runs `retentionDays` after their end, and runs that were paused for as long. The leader runs it hourly in batches, each under
 * the epoch (O5), by the clock of the database.
 */
export function createRunRetention(given: RunRetentionOptions): Job {
  const options = { batch: 200, ...given }
  return {
    name,
    leaderOnly: true,
    every: hourly,
    async run({ epoch, signal }) {
      while (!signal.aborted && (await removeBatch(options, epoch)) >= options.batch);
      for (const drop of [dropOrphanPartials, dropExpiredPrepared])
        while (!signal.aborted && (await dropBatch(options, epoch, drop)) >= options.batch);
    },
  }
}

async function removeBatch(
  { store, retentionDays, removed, batch }: Required<RunRetentionOptions>,
  epoch: bigint,
): Promise<number> {
  const runs = await store.transact(async (tx) => {
    const db = tx.tables<RunsTables>()
    await assertEpoch(db, name, epoch)
    const finished = await runsFinishedBefore(db, retentionDays, batch)
    const paused = await runsPausedBefore(db, retentionDays, batch - finished.length)
    return deleteRuns(tx, [...finished, ...paused], actor)
  })
  removed(runs)
  return runs
}

function dropBatch(
  { store, batch }: Required<RunRetentionOptions>,
  epoch: bigint,
  drop: typeof dropOrphanPartials,
): Promise<number> {
  return store.transact(async (tx) => {
    const db = tx.tables<RunsTables>()
    await assertEpoch(db, name, epoch)
    return drop(db, batch)
  })
}
