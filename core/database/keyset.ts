import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Cursors } from './cursors.ts'
import { Fail } from '#core/errors/domain-error.ts'

/** A value of a sort key. */
export type KeyValue = string | number | bigint | Date

/** A page of rows and the cursor of the next one, null at the end. */
export interface Page<Row> {
  readonly items: readonly Row[]
  readonly nextCursor: string | null
}

/** One order of a list: columns, direction, and how a row gives the values of its key. */
export interface Keyset<Row> {
  /** The condition of rows behind a key: `(a, b) < ($1, $2)`, which one index on (a, b) serves at any depth (goal 9). */
  after(key: readonly KeyValue[]): RawBuilder<boolean>
  /** `a desc, b desc`. */
  orderBy(): RawBuilder<unknown>
  /** From at most `limit + 1` rows: the page, and a cursor when there was one more. */
  page(rows: readonly Row[], limit: number, filter: unknown): Page<Row>
  /** The key in a cursor; `invalid_cursor` when it was changed or made for another filter (C1). */
  open(cursor: string, filter: unknown): readonly KeyValue[]
}

/** How a keyset is declared: the last column must be unique, so that no two rows have one key (C2). */
export interface KeysetOptions<Row> {
  readonly columns: readonly { readonly name: string; readonly type: KeyType }[]
  readonly direction: 'asc' | 'desc'
  readonly key: (row: Row) => readonly KeyValue[]
  /** Signs a cursor and binds it to its list and filter. */
  readonly cursors: Cursors
}

/** The PostgreSQL type of a key's column: parameters are cast to it, so that the index is used. */
export type KeyType = 'text' | 'uuid' | 'bigint' | 'integer' | 'timestamptz'

/** Creates the paging of one list. Cursors hold the sort key and a hash of the filter, signed. */
export function createKeyset<Row>(options: KeysetOptions<Row>): Keyset<Row> {
  const { columns, direction, key, cursors } = options
  const names = columns.map(({ name }) => sql.ref(name))
  return {
    after: (values) => {
      const parameters = columns.map(({ type }, index) => sql`${toText(values[index])}::${sql.raw(type)}`)
      const operator = sql.raw(direction === 'desc' ? '<' : '>')
      return sql<boolean>`(${sql.join(names)}) ${operator} (${sql.join(parameters)})`
    },
    orderBy: () => sql.join(names.map((name) => sql`${name} ${sql.raw(direction)}`)),
    page: (rows, limit, filter) => {
      const { items, last } = cutPage(rows, limit)
      return { items, nextCursor: last === undefined ? null : cursors.seal(key(last).map(toText), filter) }
    },
    open: (cursor, filter) => {
      const values = cursors.open(cursor, filter)
      if (!isKey(values, columns.length)) throw new Fail('invalid_cursor')
      return values
    },
  }
}

function isKey(values: unknown, length: number): values is readonly string[] {
  return Array.isArray(values) && values.length === length && values.every((value) => typeof value === 'string')
}

function toText(value: KeyValue | undefined): string {
  if (value === undefined) throw new Fail('invalid_cursor')
  return value instanceof Date ? value.toISOString() : String(value)
}

/** A page as it is shown, and the item that the next one starts after: undefined at the end. */
export interface CutPage<Item> {
  readonly items: readonly Item[]
  readonly last: Item | undefined
}

/**
 * Cuts a page out of rows that were read with a limit of `limit + 1`: only the one row more says that there is another page, so an
 * exactly full last page has no cursor (CON8).
 */
export function cutPage<Item>(rows: readonly Item[], limit: number): CutPage<Item> {
  const items = rows.slice(0, limit)
  return { items, last: rows.length > limit ? items.at(-1) : undefined }
}
