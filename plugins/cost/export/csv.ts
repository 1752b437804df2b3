/** A value of a cell; null is an empty one. */
export type Cell = string | number | null

/** Rows of named columns as CSV (RFC 4180): CRLF, a header, and quotes where they are needed. Pure. */
export function toCsv<Column extends string>(
  columns: readonly Column[],
  rows: readonly Readonly<Record<Column, Cell>>[],
): string {
  const lines = rows.map((row) => columns.map((column) => toCell(row[column])).join(','))
  return [columns.join(','), ...lines, ''].join('\r\n')
}

function toCell(value: Cell): string {
  if (typeof value === 'number') return String(value)
  const text = guarded(value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

// A spreadsheet executes a cell that begins like a formula; model ids are anybody's text.
function guarded(text: string): string {
  return /^[=+@\t\r-]/.test(text) ? `'${text}` : text
}
