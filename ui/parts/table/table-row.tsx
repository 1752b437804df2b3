import { memo } from 'react'
import type { DataColumn } from './data-column.ts'
import { text } from '../../text/en.ts'
import styles from './data-table.module.css'

interface TableRowProps<Row> {
  readonly row: Row
  readonly index: number
  readonly columns: readonly DataColumn<Row>[]
  /** It is the one row that the Tab key reaches. */
  readonly hasTabStop: boolean
  readonly isSelected: boolean | undefined
  /** It has a tick box, which the body of the table handles. */
  readonly hasBox: boolean
}

// It has no handler and no state: the body of the table handles keys and clicks for all of them.
function TableRowBase<Row>({ row, index, columns, hasTabStop, isSelected, hasBox }: TableRowProps<Row>) {
  return (
    <tr
      data-index={index}
      aria-rowindex={index + 2}
      tabIndex={hasTabStop ? 0 : -1}
      {...(isSelected === undefined ? {} : { 'aria-selected': isSelected })}
    >
      {hasBox ? (
        <td className={styles['pick']}>
          <label>
            <input type="checkbox" tabIndex={-1} aria-label={text.bulk.row} checked={isSelected ?? false} readOnly />
          </label>
        </td>
      ) : undefined}
      {columns.map((column) => (
        <td key={column.title} className={columnClass(column)} {...minWidth(column)}>
          {column.cell(row)}
        </td>
      ))}
    </tr>
  )
}

/** A row of a table. A change of the selection renders two of them. */
export const TableRow = memo(TableRowBase) as typeof TableRowBase

/** The least width of a cell, by its column. */
export function minWidth<Row>({ minPx }: DataColumn<Row>): { readonly style?: { readonly minWidth: number } } {
  return minPx === undefined ? {} : { style: { minWidth: minPx } }
}

/** The class of a cell, by its column. */
export function columnClass<Row>({ align, rank = 1, isWide = false }: DataColumn<Row>): string {
  const names = [align ?? '', rank === 1 ? '' : `rank${rank}`, isWide ? 'wide' : '']
  return names.map((name) => styles[name] ?? '').join(' ')
}
