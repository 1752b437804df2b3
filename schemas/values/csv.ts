/** A value of a cell; null is an empty cell. */
export type Cell = string | number | null

/** Rows of named columns as CSV (RFC 4180): CRLF, a header, and quotes where they are needed. Pure. */
export function toCsv<Column extends string>(
  columns: readonly Column[],
  rows: readonly Readonly<Record<Column, Cell>>[],
): string {
  return [`${columns.join(',')}\r\n`, ...rows.map((row) => toCsvLine(columns, row))].join('')
}

/** One row as a line of CSV, for files that are written in pieces. Pure. */
export function toCsvLine<Column extends string>(
  columns: readonly Column[],
  row: Readonly<Record<Column, Cell>>,
): string {
  return `${columns.map((column) => toCell(row[column])).join(',')}\r\n`
}

function toCell(value: Cell): string {
  if (typeof value === 'number') return String(value)
  const text = guarded(value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

// Characters that spreadsheets skip, then a character that begins a formula, including its full-width, small and superscript forms.
const formula =
  /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}]*[=+@\-\uFF1D\uFF0B\uFF20\uFF0D\uFE66\uFE62\uFE6B\uFE63\u2212\u207A-\u207C\u208A-\u208C]|^[\t\r\n]/u

// A spreadsheet executes a cell that begins like a formula; model ids are arbitrary strings.
function guarded(text: string): string {
  return formula.test(text) ? `'${text}` : text
}
