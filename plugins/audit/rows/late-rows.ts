import type { AuditRow } from './audit-row.ts'
import { idOf, isCounted } from './row-keys.ts'

/** The row of an act that was reported after its day was sealed: a row of the open day with the original time. */
export function toLate(row: AuditRow, now: Date): AuditRow {
  const detail = { ...row.detail, occurredAt: row.occurred_at.toISOString() }
  const late = { ...row, occurred_at: now, detail }
  // The row of that minute is sealed, so this denial is a new row.
  return isCounted(row) ? { ...late, key: `late/${row.eventKey}`, id: idOf(`late/${row.eventKey}`) } : late
}

/** New information about a sealed row, as a row of the open day. */
export function toAmendment(row: AuditRow, now: Date): AuditRow {
  const key = `late/${row.key}`
  const detail = { ...row.detail, occurredAt: row.occurred_at.toISOString(), amends: row.id }
  return { ...row, key, id: idOf(key), occurred_at: now, detail }
}
