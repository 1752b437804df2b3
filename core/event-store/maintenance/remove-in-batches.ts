import { assertEpoch } from '#core/database/leader-election.ts'
import type { Term } from '#core/jobs/background-work.ts'
import type { Store, Tx } from '../store.ts'

/** Rows that a job removes. */
export interface BatchedRemoval {
  readonly store: Pick<Store, 'transact'>
  /** Name of the job, whose lease has the epoch. */
  readonly job: string
  /** Maximum number of rows per transaction. */
  readonly batch: number
  /** Removes at most `limit` rows. Returns their number. */
  readonly remove: (tx: Tx, limit: number) => Promise<number>
  /** Called with the number of removed rows after each COMMIT. */
  readonly removed?: (count: number) => void
}

/** Removes rows in batches until one is not full, each in a transaction under the epoch of the job (O5). Rejects once another process leads. */
export async function removeInBatches(removal: BatchedRemoval, { epoch, signal }: Term): Promise<void> {
  const { store, job, batch, remove, removed = () => undefined } = removal
  for (let count = batch; count >= batch && !signal.aborted;) {
    count = await store.transact(async (tx) => {
      await assertEpoch(tx.tables(), job, epoch)
      return remove(tx, batch)
    })
    removed(count)
  }
}
