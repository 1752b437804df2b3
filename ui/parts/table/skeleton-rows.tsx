import type { DataColumn } from './data-column.ts'
import styles from './data-table.module.css'
import { columnClass } from './table-row.tsx'

const ROWS = Array.from({ length: 12 }, (_, index) => index)

/** Rows that stand for those that are loading. */
export function SkeletonRows<Row>({ columns }: { readonly columns: readonly DataColumn<Row>[] }) {
  return ROWS.map((row) => (
    <tr key={row} aria-hidden>
      {columns.map((column) => (
        <td key={column.title} className={columnClass(column)}>
          <span className={styles['bone']} />
        </td>
      ))}
    </tr>
  ))
}
