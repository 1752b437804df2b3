import type { Access } from '#core/cluster/caller.ts'
import { cutPage } from '#core/database/cut-page.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { isObject } from '#core/json/is-object.ts'
import { parseLabel } from '#core/kube/names.ts'
import type { Call } from '../endpoint/endpoint.ts'

/** Position of a row in the order of a list: the values of its ORDER BY, as in JSON. */
export type RowKey = readonly (string | number)[]

/** Query of a list; every other field is a filter, and the cursor is bound to it. */
export interface StoreListQuery {
  readonly limit?: number
  readonly cursor?: string
  readonly namespace?: string
  readonly scope?: 'permitted'
}

/** A call of a list. */
export type StoreListCall = Pick<Call<unknown, StoreListQuery, unknown>, 'query' | 'caller' | 'cursors' | 'directory'>

/** Defines how the rows of a list are authorized, read and ordered. */
export interface StoreList<Resource extends string, Item> {
  /** Resource of our group whose `list` right shows the rows. */
  readonly resource: Resource
  /** Proof of a review that the route has made. Without it the list reviews `list` in the namespace of the query, or in the cluster. */
  readonly access?: Access<'list', Resource>
  /** Other values that select the rows besides the query, such as the uid of an agent in the path. */
  readonly bound?: unknown
  /** Reads at most `limit` rows of the proof's namespace after a position, in the order of `keyOf`. */
  read(access: Access<'list', Resource>, page: RowPage): Promise<readonly Item[]>
  keyOf(item: Item): RowKey
}

/** One page of rows to read. */
export interface RowPage {
  readonly limit: number
  readonly after: RowKey | undefined
}

/** A page of a list, as `listOf` describes it. */
export interface StorePage<Item> {
  readonly items: readonly Item[]
  readonly nextCursor: string | null
  readonly scope?: 'permitted'
}

const DEFAULT_LIMIT = 50

/**
 * One page of stored rows for a caller. With `scope=permitted` it walks the namespaces that the caller may list, by name. The last page has
 * no cursor, even if it is exactly full (CON8).
 */
export async function storeList<Resource extends string, Item>(
  call: StoreListCall,
  list: StoreList<Resource, Item>,
): Promise<StorePage<Item>> {
  const { query, caller } = call
  const namespace = query.namespace ? parseLabel('?namespace', query.namespace) : ''
  if (query.scope === 'permitted' && list.access === undefined && namespace === '') return walk(call, list)
  return onePage(call, list, list.access ?? (await caller.review('list', list.resource, { namespace })))
}

function onePage<Resource extends string, Item>(
  call: StoreListCall,
  list: StoreList<Resource, Item>,
  access: Access<'list', Resource>,
): Promise<StorePage<Item>> {
  const { bound, keyOf } = list
  // The namespace may be that of a path.
  const query = { ...call.query, namespace: access.namespace }
  return keyedPage({ query, cursors: call.cursors }, { bound, read: (page) => list.read(access, page), keyOf })
}

/** Rows in one order, regardless of their namespaces. */
export interface KeyedRows<Item> {
  /** Other values that select the rows besides the query. */
  readonly bound?: unknown
  /** Reads at most `limit` rows after a position, in the order of `keyOf`. */
  read(page: RowPage): Promise<readonly Item[]>
  keyOf(item: Item): RowKey
  /** Number of the rows that fit into a page, at least 1, such as those within a number of bytes. Default: all. */
  fits?(items: readonly Item[]): number
}

/** One page of rows that the route has reviewed, such as those of an `AccessScope`. */
export async function keyedPage<Item>(
  { query, cursors }: Pick<StoreListCall, 'query' | 'cursors'>,
  { bound: more = null, read, keyOf, fits }: KeyedRows<Item>,
): Promise<StorePage<Item>> {
  const { limit = DEFAULT_LIMIT, cursor, ...filter } = query
  const bound = { ...filter, namespace: query.namespace ?? '', bound: more }
  const after = cursor === undefined ? undefined : toKey(cursors.open(cursor, bound))
  const rows = await read({ limit: limit + 1, after })
  const { items, last } = cutPage(rows, Math.min(limit, fits?.(rows) ?? limit))
  const nextCursor = last === undefined ? null : cursors.seal(keyOf(last), bound)
  return { items, nextCursor, ...(query.scope === undefined ? {} : { scope: query.scope }) }
}

/** Position of a walk: the last completed namespace, and a row of the next one. */
interface Place {
  readonly done: string
  readonly in: string
  readonly key: RowKey | undefined
}

async function walk<Resource extends string, Item>(
  { query, cursors, caller, directory }: StoreListCall,
  list: StoreList<Resource, Item>,
): Promise<StorePage<Item>> {
  if (directory === undefined) throw new Fail('not_wired')
  const { limit = DEFAULT_LIMIT, cursor, ...filter } = query
  const bound = { ...filter, bound: list.bound ?? null }
  const from = cursor === undefined ? start : toPlace(cursors.open(cursor, bound))
  const items: Item[] = []
  let { done } = from
  let next: Place | undefined
  await directory.permitted(caller, 'list', list.resource, done, async (access) => {
    const after = access.namespace === from.in ? from.key : undefined
    const room = limit - items.length
    const rows = await list.read(access, { limit: room + 1, after })
    items.push(...rows.slice(0, room))
    if (rows.length <= room) {
      done = access.namespace
      return 'more'
    }
    const last = rows[room - 1]
    // A page that is full already shows no row of this namespace; the next page starts with it.
    next = last === undefined ? { ...start, done } : { done, in: access.namespace, key: list.keyOf(last) }
    return 'full'
  })
  return { items, nextCursor: next === undefined ? null : cursors.seal(next, bound), scope: 'permitted' }
}

const start: Place = { done: '', in: '', key: undefined }

// The cursor is signed and bound to its list, so its content is trusted and only its form is checked.
function toKey(position: unknown): RowKey {
  const isKey =
    Array.isArray(position) &&
    position.every((value: unknown) => typeof value === 'string' || typeof value === 'number')
  if (!isKey) throw new Fail('invalid_cursor')
  return position as RowKey
}

function toPlace(position: unknown): Place {
  if (!isObject(position)) throw new Fail('invalid_cursor')
  const { done, in: inside, key } = position
  if (typeof done !== 'string' || typeof inside !== 'string') throw new Fail('invalid_cursor')
  return { done, in: inside, key: inside === '' ? undefined : toKey(key) }
}
