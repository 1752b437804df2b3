import type { AuditEvent } from '#schemas/api/audit.ts'
import { toCsv, toCsvLine } from '#schemas/values/csv.ts'

/** Format of an export. */
export type AuditFormat = 'ndjson' | 'csv'

/** Media type of an export. */
export const mediaTypes = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
} as const satisfies Record<AuditFormat, string>

const columns = [
  ...(['id', 'occurred_at', 'source', 'actor', 'actor_exact', 'actor_kind', 'action', 'resource_kind'] as const),
  ...(['resource_name', 'namespace', 'outcome', 'trace_id', 'detail'] as const),
] as const

/** Reads the rows after a row, newest first; without one, the first rows. */
export type ReadRows = (after: AuditEvent | undefined, limit: number) => Promise<readonly AuditEvent[]>

/** Rows that are in memory at once. */
const PAGE = 500

/**
 * The rows of an export as text, page by page: memory and the time of a statement do not depend on the size of the range, and a slow reader holds
 * no connection of the store.
 */
export async function* auditLines(read: ReadRows, format: AuditFormat): AsyncGenerator<string> {
  if (format === 'csv') yield toCsv(columns, [])
  for (let last: AuditEvent | undefined; ;) {
    const rows = await read(last, PAGE)
    if (rows.length > 0) yield rows.map((row) => toAuditLine(row, format)).join('')
    last = rows.at(-1)
    if (rows.length < PAGE) return
  }
}

/** A row as a line. */
export function toAuditLine(row: AuditEvent, format: AuditFormat): string {
  if (format === 'ndjson') return `${JSON.stringify(row)}\n`
  const { actor_exact: exact, detail, ...cells } = row
  return toCsvLine(columns, { ...cells, actor_exact: String(exact), detail: JSON.stringify(detail) })
}

/** An invented export of one row, for the API's documents. */
export function csvExample(row: AuditEvent): string {
  return toCsv(columns, []) + toAuditLine(row, 'csv')
}
