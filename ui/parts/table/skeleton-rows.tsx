import type { DataColumn } from './data-column.ts'
import styles from './data-table.module.css'
import { columnClass, minWidth } from './table-row.tsx'

const ROWS = Array.from({ length: 12 }, (_, index) => index)

interface SkeletonRowsProps<Row> {
  readonly columns: readonly DataColumn<Row>[]
  readonly hasBox: boolean
}

/** Rows that stand for those that are loading. */
export function SkeletonRows<Row>({ columns, hasBox }: SkeletonRowsProps<Row>) {
  return ROWS.map((row) => (
    <tr key={row} aria-hidden>
      {hasBox ? <td className={styles['pick']} /> : undefined}
      {columns.map((column) => (
        <td key={column.title} className={columnClass(column)} {...minWidth(column)}>
          <span className={styles['bone']} />
        </td>
      ))}
    </tr>
  ))
}
