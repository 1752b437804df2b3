import type { ObjectIndexTables } from '#core/cluster/object-index-tables.ts'
import { requestOutcome } from '#core/http/audit/events.ts'
import { on } from '#core/messaging/consumer/consumer.ts'
import type { Consumer } from '#core/messaging/consumer/consumer.ts'
import { insertReports, toReport } from './objects/reported-objects.ts'

/** Consumers of core itself: the object index stores which objects callers have created or changed. */
export const controllerConsumers: readonly Consumer[] = [
  on(
    'cluster.reported-objects',
    [requestOutcome],
    { order: 'none', from: 'start', role: 'manager' },
    async (events, tx) => {
      const reports = events.map(toReport).filter((report) => report !== undefined)
      await insertReports(tx.tables<ObjectIndexTables>(), reports)
    },
  ),
]
