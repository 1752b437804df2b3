import { on } from '#core/messaging/consumer/consumer.ts'
import type { Consumer } from '#core/messaging/consumer/consumer.ts'
import { auditedTypes, toAuditRow } from './rows/audit-row.ts'
import type { Descriptors } from './rows/audit-row.ts'
import type { AuditTables } from './contract/tables.ts'
import { writeRows } from './store/write-rows.ts'

/**
 * Every audited event becomes a row; runs in the manager, which also knows the cluster's changes. Other events, such as those of model
 * calls, are not delivered: each would cost a row of the inbox.
 */
export function auditConsumers(descriptors: Descriptors, retentionDays: number): readonly Consumer[] {
  const handle: Consumer['handle'] = async (events, tx) => {
    const rows = events.map((event) => toAuditRow(event, descriptors)).filter((row) => row !== undefined)
    await writeRows(tx.tables<AuditTables>(), rows, retentionDays)
  }
  const consumer = on('audit.log', 'all', { order: 'none', from: 'start', role: 'manager' }, handle)
  return [{ ...consumer, types: auditedTypes(descriptors) }]
}
