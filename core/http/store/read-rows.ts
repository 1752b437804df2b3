import { sql } from 'kysely'
import type { QueryExecutorProvider, RawBuilder } from 'kysely'
import { inLiveNamespace } from '#core/cluster/object-index-sql.ts'
import type { RowPage } from './store-list.ts'

/** Order of a list: columns that together are unique, all in one direction. */
export interface RowOrder {
  readonly columns: readonly [string, ...string[]]
  readonly direction: 'asc' | 'desc'
}

/** Rows of a table with the columns `namespace` and `namespace_uid`. */
export interface RowSelection {
  readonly table: string
  /** Namespace of the proof; '' is the whole cluster. */
  readonly namespace: string
  readonly where?: readonly RawBuilder<boolean>[]
  readonly order: RowOrder
  readonly page: RowPage
}

/** Reads one page by keyset. Rows of a namespace that was deleted, or deleted and created again, are not found. */
export async function readRows<Row>(
  db: QueryExecutorProvider,
  { table, namespace, where = [], order, page }: RowSelection,
): Promise<readonly Row[]> {
  const conditions = [
    inLiveNamespace(`${table}.namespace_uid`),
    ...(namespace === '' ? [] : [sql<boolean>`${sql.ref(`${table}.namespace`)} = ${namespace}`]),
    ...where,
    ...(page.after === undefined ? [] : [isAfter(table, order, page.after)]),
  ]
  const columns = order.columns.map((column) => sql`${columnOf(table, column)} ${sql.raw(order.direction)}`)
  const { rows } = await sql<Row>`select ${sql.table(table)}.* from ${sql.table(table)}
    where ${sql.join(conditions, sql` and `)} order by ${sql.join(columns)} limit ${page.limit}`.execute(db)
  return rows
}

/** The condition for equality of a column, or none without a value. */
export function whereEqual(column: string, value: string | number | undefined): readonly RawBuilder<boolean>[] {
  return value === undefined ? [] : [sql<boolean>`${sql.ref(column)} = ${value}`]
}

function isAfter(table: string, order: RowOrder, after: NonNullable<RowPage['after']>): RawBuilder<boolean> {
  const columns = sql.join(order.columns.map((column) => columnOf(table, column)))
  return sql<boolean>`(${columns}) ${sql.raw(order.direction === 'asc' ? '>' : '<')} (${sql.join([...after])})`
}

function columnOf(table: string, column: string): RawBuilder<unknown> {
  return sql.ref(`${table}.${column}`)
}
