import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Access } from '#core/cluster/caller.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { readRows } from '../read-rows.ts'
import type { RowOrder } from '../read-rows.ts'
import type { RowKey, RowPage } from '../store-list.ts'
import type { Store } from '#core/event-store/store.ts'
import { readLabels } from './revisions.ts'
import type { RevisionLabels } from './revisions.ts'
import type { StoredNames } from '../declared/stored-names.ts'
import type { StoredResource } from '../declared/stored-resource.ts'
import { asJson } from './stored-rows.ts'
import type { StoredRow } from './stored-rows.ts'
import type { listOrders } from '../declared/stored-schemas.ts'

/** Query of a list of a stored resource; its filters are further fields. */
export interface StoredQuery extends Readonly<Record<string, unknown>> {
  readonly order?: (typeof listOrders)[number]
  readonly search?: string
  readonly label?: string
}

/** A row of a list, with the labels of its revisions. */
export interface ListedStored {
  readonly row: StoredRow
  readonly labels: RevisionLabels
}

interface KeyedOrder extends RowOrder {
  keyOf(row: StoredRow): RowKey
}

// Ids are UUIDv7: their order is that of creation, to the millisecond, and total.
const orders: Readonly<Record<(typeof listOrders)[number], KeyedOrder>> = {
  newest: { columns: ['id'], direction: 'desc', keyOf: ({ id }) => [id] },
  oldest: { columns: ['id'], direction: 'asc', keyOf: ({ id }) => [id] },
  name: { columns: ['name', 'id'], direction: 'asc', keyOf: ({ name, id }) => [name, id] },
  updated: {
    columns: ['updated_at', 'id'],
    direction: 'desc',
    keyOf: ({ updated_at: at, id }) => [at.toISOString(), id],
  },
}

/** The order of a query. */
export function orderOf({ order = 'newest' }: StoredQuery): KeyedOrder {
  return orders[order]
}

/** Conditions of a query and of the fields of a path. Throws `invalid_query` for a label without a key or a value. */
export function conditionsOf(
  resource: StoredResource,
  query: StoredQuery,
  ofPath: Readonly<Record<string, unknown>>,
): readonly RawBuilder<boolean>[] {
  const { spec, names } = resource
  const { filters = [], labels } = spec
  const equal = filters
    .filter((field) => query[field] !== undefined)
    .map((field) => contains(names, { [field]: query[field] }))
  const labelled =
    labels === undefined || query.label === undefined ? [] : [contains(names, { [labels]: readLabel(query.label) })]
  const bound = Object.keys(ofPath).length === 0 ? [] : [contains(names, ofPath)]
  return [...bound, ...equal, ...labelled, ...(query.search === undefined ? [] : [hasText(resource, query.search)])]
}

/** Reads one page of a stored resource in the namespace of a proof. */
export async function readStored(
  store: Pick<Store, 'reader'>,
  { names, spec }: StoredResource,
  access: Access<'list'>,
  {
    query,
    where,
    page,
  }: { readonly query: StoredQuery; readonly where: readonly RawBuilder<boolean>[]; readonly page: RowPage },
): Promise<readonly ListedStored[]> {
  const { namespace } = access
  const db = store.reader()
  const rows = await readRows<StoredRow>(db, { table: names.table, namespace, where, order: orderOf(query), page })
  if (spec.revisions === undefined) return rows.map((row) => ({ row, labels: {} }))
  const labels = await readLabels(
    db,
    names,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => ({ row, labels: labels.get(row.id) ?? {} }))
}

function contains({ table }: StoredNames, part: object): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`${table}.fields`)} @> ${asJson(part)}`
}

function hasText({ spec: { search = [] }, names: { table } }: StoredResource, text: string): RawBuilder<boolean> {
  const texts = [sql.ref(`${table}.name`), ...search.map((field) => sql`${sql.ref(`${table}.fields`)} ->> ${field}`)]
  const found = texts.map((one) => sql`strpos(lower(${one}), lower(${text})) > 0`)
  return sql<boolean>`(${sql.join(found, sql` or `)})`
}

function readLabel(label: string): Readonly<Record<string, string>> {
  const at = label.indexOf('=')
  if (at > 0) return { [label.slice(0, at)]: label.slice(at + 1) }
  throw new Fail('invalid_query', undefined, { errors: [{ pointer: '?label', detail: 'must be key=value' }] })
}
