import type { ReactNode } from 'react'

/** A column: its heading, and the cell of a row. */
export interface DataColumn<Row> {
  readonly title: string
  readonly cell: (row: Row) => ReactNode
}

interface DataTableProps<Row> {
  /** Name of the table, for screen readers. */
  readonly label: string
  readonly columns: readonly DataColumn<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  readonly empty: string
}

/** A table of rows, or one sentence without any. */
export function DataTable<Row>({ label, columns, rows, keyOf, empty }: DataTableProps<Row>) {
  if (rows.length === 0) return <p className="dim">{empty}</p>
  return (
    <table aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ title }) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ title, cell }) => (
              <td key={title} dir="auto">
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
