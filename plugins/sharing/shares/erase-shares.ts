import type { Eraser } from '#plugins/erasures/contract/points.ts'
import type { SharingTables } from '../contract/tables.ts'
import type { SharingServices } from '../services/create-services.ts'
import { removeShares } from '../store/shares.ts'

/** Erases the links that a person gave out for runs of others. Those of the person's own runs are removed with the runs. */
export function createShareEraser({ removed }: Pick<SharingServices, 'removed'>): Eraser {
  return {
    name: 'shares',
    erase: async (tx, { subject: createdBy, namespaceUid }, limit) => {
      const ids = await removeShares(tx.tables<SharingTables>(), { createdBy, namespaceUid, limit })
      tx.afterCommit(() => removed('erasure', ids))
      return { erased: ids.length, next: ids.length === limit ? 'more' : 'done' }
    },
  }
}
