import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Cursors } from './cursors.ts'
import { Fail } from '#core/errors/domain-error.ts'

/** A value of a sort key. */
export type KeyValue = string | number | bigint | Date

/** A page of rows and the cursor of the next page, null at the end. */
export interface Page<Row> {
  readonly items: readonly Row[]
  readonly nextCursor: string | null
}

/** One sort order of a list: columns, direction, and the key of a row. */
export interface Keyset<Row> {
  /** Condition for rows after a key: `(a, b) < ($1, $2)`, served by one index on (a, b) at any depth (goal 9). */
  after(key: readonly KeyValue[]): RawBuilder<boolean>
  /** `a desc, b desc`. */
  orderBy(): RawBuilder<unknown>
  /** Cuts a page from at most `limit + 1` rows, with a cursor if there is one more. */
  page(rows: readonly Row[], limit: number, filter: unknown): Page<Row>
  /** Returns the key of a cursor. Throws `invalid_cursor` if it was changed or issued for another filter (C1). */
  open(cursor: string, filter: unknown): readonly KeyValue[]
}

/** Declaration of a keyset. The last column must be unique, so that no two rows share a key (C2). */
export interface KeysetOptions<Row> {
  readonly columns: readonly { readonly name: string; readonly type: KeyType }[]
  readonly direction: 'asc' | 'desc'
  readonly key: (row: Row) => readonly KeyValue[]
  /** Signs a cursor and binds it to list and filter. */
  readonly cursors: Cursors
}

/** PostgreSQL type of a key column. Parameters are cast to it, so that the index is used. */
export type KeyType = 'text' | 'uuid' | 'bigint' | 'integer' | 'timestamptz'

/** Creates the paging of one list. A cursor contains the sort key and a hash of the filter, signed. */
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

/** A page as returned, and the item after which the next page starts; undefined at the end. */
export interface CutPage<Item> {
  readonly items: readonly Item[]
  readonly last: Item | undefined
}

/**
 * Cuts a page from rows read with a limit of `limit + 1`. Only an extra row proves that another page exists, so an exactly full last page
 * has no cursor (CON8).
 */
export function cutPage<Item>(rows: readonly Item[], limit: number): CutPage<Item> {
  const items = rows.slice(0, limit)
  return { items, last: rows.length > limit ? items.at(-1) : undefined }
}
