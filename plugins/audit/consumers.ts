import { type Consumer, on } from '#core/events/consumer.ts'
import { type AuditRow, type Descriptors, mergeRows, toRow } from './rows.ts'
import { type AuditTables, dayOf, ensurePartition, writeRows } from './store.ts'

/** Every audited event becomes a row; runs in the manager, which also knows the cluster's changes. */
export function auditConsumers(descriptors: () => Descriptors): readonly Consumer[] {
  const made = new Set<string>()
  return [
    on('audit.log', 'all', { order: 'none', from: 'start', role: 'manager' }, async (events, context) => {
      const known = descriptors()
      const rows = mergeRows(events.map((event) => toRow(event, known)).filter((row) => row !== undefined))
      const tx = context.db.withTables<AuditTables>()
      for (const day of missingDays(rows, made)) await ensurePartition(tx, day)
      await writeRows(tx, rows)
      // Only a committed partition is remembered: a rolled back one has to be made again.
      context.afterCommit(() => rows.forEach((row) => made.add(dayOf(row.occurred_at))))
    }),
  ]
}

function missingDays(rows: readonly AuditRow[], made: ReadonlySet<string>): ReadonlySet<string> {
  return new Set(rows.map((row) => dayOf(row.occurred_at)).filter((day) => !made.has(day)))
}
