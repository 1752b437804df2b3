import { useRef } from 'react'
import type { ReactNode } from 'react'
import { text } from '../../text/en.ts'
import { useNarrow } from '../page/use-narrow.ts'
import { Notice } from '../page/notice.tsx'
import { ProblemState } from '../state/problem-state.tsx'
import type { DataColumn } from './data-column.ts'
import styles from './data-table.module.css'
import { scrollToRow } from './row-window.ts'
import { SkeletonRows } from './skeleton-rows.tsx'
import { TableRow, columnClass, minWidth } from './table-row.tsx'
import type { BulkSelection } from './use-bulk.ts'
import { useRowKeys } from './use-row-keys.ts'
import { useRowWindow } from './use-row-window.ts'

export interface DataTableProps<Row> {
  /** Name of the table, for screen readers. */
  readonly label: string
  readonly columns: readonly DataColumn<Row>[]
  /** The rows; undefined while the first ones are loading. */
  readonly rows: readonly Row[] | undefined
  readonly keyOf: (row: Row) => string
  /** Shown in place of rows: an EmptyState, or NoMatch with a filter. */
  readonly empty: ReactNode
  /** The last request failed; rows of an earlier one stay. */
  readonly error?: Error | null
  readonly onRetry?: () => void
  readonly onOpen?: (row: Row) => void
  /** Keys of selected rows, such as the one in the dock. */
  readonly selected?: ReadonlySet<string> | undefined
  readonly onSelect?: (row: Row) => void
  /** Selects rows for an action, which a `BulkBar` below the table offers. */
  readonly bulk?: BulkSelection
  readonly isInCard?: boolean
}

/** From so many rows on only those in view are in the document. */
const VIRTUAL_FROM = 200
const HEAD_PX = 32

/** A table of rows. The server sorts, filters and pages; the address holds how. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, keyOf, empty, error = null, onRetry, onOpen, selected, bulk, isInCard = false } = props
  const marked = bulk?.selected ?? selected
  const hasBox = bulk !== undefined
  const width = columns.length + Number(hasBox)
  const count = rows?.length ?? 0
  const rowHeight = useNarrow() ? 48 : 36
  const isVirtual = count > VIRTUAL_FROM
  const box = useRef<HTMLElement>(null)
  const [view, attach] = useRowWindow(isVirtual ? count : 0, rowHeight)
  const { first, end } = isVirtual ? view : { first: 0, end: count }
  const keys = useRowKeys({
    count,
    onOpen: rows && onOpen && ((index) => withRow(rows, index, onOpen)),
    onSelect: rows && selectOf(rows, props),
    onExtend: rows && bulk && ((index) => withRow(rows, index, (row) => bulk.extend(keyOf(row), rows.map(keyOf)))),
    onReveal: (index) => reveal(box.current, index, rowHeight),
  })
  if (rows === undefined && error !== null) return <ProblemState error={error} onRetry={onRetry} />
  if (rows?.length === 0) return <>{empty}</>
  return (
    <>
      {error === null ? undefined : (
        <div className={styles['strip']}>
          <Notice tone="warn">{error.message}</Notice>
        </div>
      )}
      <div
        ref={(element) => {
          box.current = element
          return attach(element)
        }}
        className={`${styles['box']} ${isInCard ? styles['inCard'] : ''}`}
      >
        <table
          className={`${styles['table']} ${onOpen === undefined ? '' : styles['opens']} ${rows === undefined ? styles['waiting'] : ''}`}
          aria-label={label}
          {...(rows === undefined ? { 'aria-busy': true } : { role: 'grid', 'aria-rowcount': count + 1 })}
          {...(hasBox && rows !== undefined ? { 'aria-multiselectable': true } : {})}
        >
          <thead>
            <tr>
              {hasBox ? (
                <th scope="col" className={styles['pick']}>
                  <span className="unseen">{text.bulk.column}</span>
                </th>
              ) : undefined}
              {columns.map((column) => (
                <th key={column.title} scope="col" className={columnClass(column)} {...minWidth(column)}>
                  {column.title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody ref={keys.body} onKeyDown={keys.onKeyDown} onClick={keys.onClick}>
            {rows === undefined ? <SkeletonRows columns={columns} hasBox={hasBox} /> : undefined}
            <Gap rows={first} height={rowHeight} columns={width} />
            {rows?.slice(first, end).map((row, offset) => (
              <TableRow
                key={isVirtual ? (first + offset) % (end - first) : keyOf(row)}
                row={row}
                index={first + offset}
                columns={columns}
                hasTabStop={keys.at === first + offset}
                isSelected={marked?.has(keyOf(row))}
                hasBox={hasBox}
              />
            ))}
            <Gap rows={count - end} height={rowHeight} columns={width} />
          </tbody>
        </table>
      </div>
    </>
  )
}

// Stands for rows that are not in view.
function Gap({ rows, height, columns }: { readonly rows: number; readonly height: number; readonly columns: number }) {
  if (rows <= 0) return undefined
  return (
    <tr className={styles['gap']} aria-hidden>
      <td colSpan={columns} style={{ height: rows * height }} />
    </tr>
  )
}

// A selection for an action comes before that of the page.
function selectOf<Row>(rows: readonly Row[], { bulk, keyOf, onSelect }: DataTableProps<Row>) {
  const act = bulk === undefined ? onSelect : (row: Row) => bulk.toggle(keyOf(row))
  return act && ((index: number) => withRow(rows, index, act))
}

function withRow<Row>(rows: readonly Row[], index: number, act: (row: Row) => void): void {
  const row = rows[index]
  if (row !== undefined) act(row)
}

function reveal(box: HTMLElement | null, index: number, rowHeight: number): void {
  if (box === null) return
  const height = box.clientHeight - HEAD_PX
  const top = scrollToRow(index, { scrollTop: box.scrollTop, height, rowHeight })
  if (top !== undefined) box.scrollTop = top
}
