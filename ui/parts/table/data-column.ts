import type { ReactNode } from 'react'

/** A column: its heading, and the cell of a row. */
export interface DataColumn<Row> {
  readonly title: string
  readonly cell: (row: Row) => ReactNode
  /** Numbers stand at the end. */
  readonly align?: 'end'
  /** Columns leave a narrow table by their rank, the highest first; those of rank 1, at most three, never do. */
  readonly rank?: 1 | 2 | 3 | 4
  /** Takes the space that the others leave; its text is cut. */
  readonly isWide?: boolean
  /** Below this width its text is not cut further. Default: 120 for a wide column, what it needs for others. */
  readonly minPx?: number
}
