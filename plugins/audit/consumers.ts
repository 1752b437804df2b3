import { on } from '#core/messaging/consumer/consumer.ts'
import type { Consumer } from '#core/messaging/consumer/consumer.ts'
import { toAuditRow } from './rows/audit-row.ts'
import type { Descriptors } from './rows/audit-row.ts'
import type { AuditTables } from './store/tables.ts'
import { writeRows } from './store/write.ts'

/** Every audited event becomes a row; runs in the manager, which also knows the cluster's changes. */
export function auditConsumers(descriptors: () => Descriptors, retentionDays: number): readonly Consumer[] {
  return [
    on('audit.log', 'all', { order: 'none', from: 'start', role: 'manager' }, async (events, tx) => {
      const known = descriptors()
      const rows = events.map((event) => toAuditRow(event, known)).filter((row) => row !== undefined)
      await writeRows(tx.tables<AuditTables>(), rows, retentionDays)
    }),
  ]
}
