import type { CellValue, ResourceTable } from '#cli/contract/resource-table.ts'
import { toAge } from './age.ts'
import type { Style } from '#cli/contract/style.ts'
import { toSafeText } from '#cli/contract/safe-text.ts'

/** Where a table is written. Without a terminal it has no header, and tabs between its cells. */
export interface TableTarget {
  readonly isTerminal: boolean
  /** Columns of the terminal. */
  readonly width?: number | undefined
  readonly now: Date
  /** Styles of the header; none by default. */
  readonly style?: Style | undefined
}

/** Lines of a table. */
export function toTableText<Row>(
  { columns, wide = {} }: ResourceTable<Row>,
  rows: readonly Row[],
  target: TableTarget & { readonly wide: boolean },
): string {
  const cells = Object.entries(target.wide ? { ...columns, ...wide } : columns)
  const lines = rows.map((row) => cells.map(([, of]) => textOf(of(row), target)))
  if (!target.isTerminal) return lines.map((line) => `${line.join('\t')}\n`).join('')
  const [header = '', ...rest] = align([cells.map(([title]) => title), ...lines], target.width)
  return [target.style?.bold(header) ?? header, ...rest].map((line) => `${line}\n`).join('')
}

function textOf(value: CellValue, { isTerminal, now }: TableTarget): string {
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) return '-'
    return isTerminal ? toAge(value, now) : value.toISOString()
  }
  // JSON has no such number: a field of the sum is missing.
  if (Number.isNaN(value)) throw new TypeError('a cell is not a number')
  const text = value === null || value === undefined ? '' : toSafeText(String(value))
  // An empty cell would move the others, for a reader as for `cut`.
  return text === '' ? '-' : text
}

function align(lines: readonly (readonly string[])[], width: number | undefined): readonly string[] {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => lengthOf(line[column] ?? ''))))
  return lines.map((line) => cut(alignLine(line, widths), width))
}

function alignLine(line: readonly string[], widths: readonly number[]): string {
  return line
    .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - lengthOf(cell)))
    .join('   ')
    .trimEnd()
}

function cut(line: string, width: number | undefined): string {
  const characters = [...line]
  return width === undefined || characters.length <= width ? line : `${characters.slice(0, width - 1).join('')}…`
}

function lengthOf(text: string): number {
  return [...text].length
}
