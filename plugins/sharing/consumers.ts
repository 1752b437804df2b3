import { on } from '#core/messaging/consumer/consumer.ts'
import type { Consumer } from '#core/messaging/consumer/consumer.ts'
import { runDeleted } from '#plugins/runs/contract/events.ts'
import type { SharingServices } from './services/create-services.ts'
import { removeShares } from './store/shares.ts'
import type { SharingTables } from './contract/tables.ts'

/** Removes the shares of removed runs: by their retention, and with their namespace. */
export function sharingConsumers({ removed }: Pick<SharingServices, 'removed'>): readonly Consumer[] {
  return [
    on('sharing.runs', [runDeleted], { order: 'none', from: 'start' }, async (events, tx) => {
      const runIds = events.map(({ data }) => data.runId)
      const ids = await removeShares(tx.tables<SharingTables>(), { runIds })
      tx.afterCommit(() => removed('run', ids))
    }),
  ]
}
