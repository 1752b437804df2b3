// A store-backed plugin of a third party, written against the package only.
import {
  defineErrors,
  defineEvent,
  definePlugin,
  endpoint,
  Fail,
  inLiveNamespace,
  requireVersion,
  sql,
  storeList,
  Type,
  versioned,
} from '@mesh.dev/mesh/plugin'
import type { Access, Core, RowPage, Store, Tx } from '@mesh.dev/mesh/plugin'

interface Item {
  readonly namespace: string
  readonly namespace_uid: string
  readonly name: string
  readonly url: string
  readonly labels: Readonly<Record<string, string>>
  readonly version: number
  readonly created_at: Date
}

type Tables = { x_bookmarks_items: Item }

const reviewIn = <const Verb extends string>(verb: Verb) =>
  ({
    kind: 'review',
    verb,
    resource: 'bookmarks',
    namespace: { in: 'path', field: 'ns' },
    name: 'name',
  }) as const

const errors = defineErrors({ bookmark_exists: { status: 409, title: 'A bookmark of this name exists.' } })
const changed = defineEvent({
  domain: 'com.acme',
  plugin: 'bookmarks',
  fact: 'changed',
  summary: 'A bookmark was created, changed or deleted.',
  data: Type.Object({ change: Type.Enum(['create', 'update', 'delete']) }),
  audit: {
    action: 'update',
    resourceKind: 'Bookmark',
    actionFrom: { field: 'change', values: ['create', 'delete'] },
  },
  seenBy: { verb: 'get', resource: 'bookmarks' },
})
const text = Type.String({ minLength: 1, maxLength: 1024 })
const labels = Type.Record(Type.String({ pattern: '^[a-z][a-z0-9-]{0,62}$' }), Type.String({ maxLength: 63 }), {
  maxProperties: 16,
  additionalProperties: false,
})
const fields = { url: text, labels: Type.Optional(labels) }
const Bookmark = Type.Object({ namespace: Type.String(), name: Type.String(), url: text, labels })
const page = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
  cursor: Type.Optional(Type.String()),
}
const ListQuery = Type.Object({
  ...page,
  namespace: Type.Optional(Type.String()),
  scope: Type.Optional(Type.Literal('permitted')),
  label: Type.Optional(Type.String({ maxLength: 128 })),
})
const List = Type.Object({
  items: Type.Array(Bookmark),
  nextCursor: Type.Union([Type.String(), Type.Null()]),
  scope: Type.Optional(Type.Literal('permitted')),
})
const toBookmark = ({ namespace, name, url, labels: given }: Item) => ({ namespace, name, url, labels: given })

function readLabel(label: string | undefined): readonly [string, string] | undefined {
  if (label === undefined) return undefined
  const at = label.indexOf('=')
  if (at > 0) return [label.slice(0, at), label.slice(at + 1)]
  throw new Fail('invalid_query', undefined, { errors: [{ pointer: '?label', detail: 'must be key=value' }] })
}

function readPage(
  store: Store,
  access: Access<'list', 'bookmarks'>,
  label: readonly [string, string] | undefined,
  { limit, after }: RowPage,
): Promise<Item[]> {
  const [createdAt, name] = after ?? []
  return store
    .reader<Tables>()
    .selectFrom('x_bookmarks_items')
    .selectAll()
    .where(inLiveNamespace('x_bookmarks_items.namespace_uid'))
    .$if(access.namespace !== '', (query) => query.where('namespace', '=', access.namespace))
    .$if(label !== undefined, (query) => query.where(sql<boolean>`labels ->> ${label?.[0]} = ${label?.[1]}`))
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(created_at, name) < (${new Date(createdAt ?? 0)}, ${name})`),
    )
    .orderBy('created_at', 'desc')
    .orderBy('name', 'desc')
    .limit(limit)
    .execute()
}

function routesOf({ store, observed, now }: Pick<Core, 'observed' | 'now'> & { readonly store: Store }) {
  const change = (name: string, namespace: string, by: string, what: 'create' | 'update' | 'delete') => ({
    type: changed,
    subject: { namespace, kind: 'Bookmark', name },
    actor: { name: by, kind: 'user' } as const,
    data: { change: what },
  })
  const streamOf = ({ namespace_uid: uid, name }: Pick<Item, 'namespace_uid' | 'name'>) => `bookmarks/${uid}/${name}`
  const uidOf = async (namespace: string): Promise<string> => {
    const uid = await observed.namespaceUid(namespace, 500)
    if (uid === undefined) throw new Fail('not_found')
    return uid
  }
  const list = endpoint({
    method: 'GET',
    url: '/items',
    summary: 'List bookmarks, newest first.',
    authz: { kind: 'row', verb: 'list', resource: 'bookmarks' },
    query: ListQuery,
    response: { 200: List },
    handle: async (call) => {
      const label = readLabel(call.query.label)
      const { items, ...rest } = await storeList(call, {
        resource: 'bookmarks',
        read: (access, asked) => readPage(store, access, label, asked),
        keyOf: ({ created_at: at, name }) => [at.toISOString(), name],
      })
      return { items: items.map(toBookmark), ...rest }
    },
  })
  const get = endpoint({
    method: 'GET',
    url: '/items/:ns/:name',
    summary: 'Get a bookmark.',
    docs: { reads: ['If-None-Match'], sends: ['ETag'] },
    authz: reviewIn('get'),
    response: { 200: Bookmark, 304: Type.Undefined() },
    handle: async (call) => {
      const item = await store
        .reader<Tables>()
        .selectFrom('x_bookmarks_items')
        .selectAll()
        .where('namespace_uid', '=', await uidOf(call.access.namespace))
        .where('name', '=', call.params.name)
        .executeTakeFirst()
      if (item === undefined) throw new Fail('not_found')
      return versioned(call, item.version, toBookmark(item))
    },
  })
  const create = endpoint({
    method: 'POST',
    url: '/items/:ns',
    summary: 'Create a bookmark.',
    docs: { sends: ['ETag'] },
    authz: { kind: 'review', verb: 'create', resource: 'bookmarks', namespace: { in: 'path', field: 'ns' } },
    idempotent: true,
    body: Type.Object({ name: Type.String({ pattern: '^[a-z0-9-]{1,63}$' }), ...fields }),
    response: { 201: Bookmark },
    handle: async (call) => {
      const { access, body, caller, params } = call
      const item: Item = {
        namespace: access.namespace,
        namespace_uid: await uidOf(params.ns),
        name: body.name,
        url: body.url,
        labels: body.labels ?? {},
        version: 1,
        created_at: now(),
      }
      await store.transact(async (tx) => {
        const made = await tx
          .tables<Tables>()
          .insertInto('x_bookmarks_items')
          .values({ ...item, labels: sql`${JSON.stringify(item.labels)}::jsonb` })
          .onConflict((conflict) => conflict.doNothing())
          .returning('name')
          .execute()
        if (made.length === 0) throw new Fail(errors.bookmark_exists)
        await tx.append(streamOf(item), 'any', [change(item.name, item.namespace, caller.username, 'create')])
      })
      return versioned(call, item.version, toBookmark(item))
    },
  })
  const replace = endpoint({
    method: 'PUT',
    url: '/items/:ns/:name',
    summary: 'Replace a bookmark.',
    docs: { reads: ['If-Match'], sends: ['ETag'] },
    authz: reviewIn('update'),
    body: Type.Object(fields),
    response: { 200: Bookmark },
    handle: async (call) => {
      const { access, body, caller, params } = call
      const key = { namespace_uid: await uidOf(access.namespace), name: params.name }
      const item = await store.transact(async (tx) => {
        const db = tx.tables<Tables>()
        const found = await locked(tx, key)
        requireVersion(call, found.version)
        const next = { ...found, url: body.url, labels: body.labels ?? {}, version: found.version + 1 }
        await db
          .updateTable('x_bookmarks_items')
          .set({ url: next.url, version: next.version, labels: sql`${JSON.stringify(next.labels)}::jsonb` })
          .where('namespace_uid', '=', key.namespace_uid)
          .where('name', '=', key.name)
          .execute()
        await tx.append(streamOf(key), 'any', [change(key.name, access.namespace, caller.username, 'update')])
        return next
      })
      return versioned(call, item.version, toBookmark(item))
    },
  })
  const remove = endpoint({
    method: 'DELETE',
    url: '/items/:ns/:name',
    summary: 'Delete a bookmark.',
    docs: { reads: ['If-Match'] },
    authz: reviewIn('delete'),
    response: { 204: Type.Undefined() },
    handle: async (call) => {
      const { access, caller, params } = call
      const key = { namespace_uid: await uidOf(access.namespace), name: params.name }
      await store.transact(async (tx) => {
        const db = tx.tables<Tables>()
        requireVersion(call, (await locked(tx, key)).version)
        await db
          .deleteFrom('x_bookmarks_items')
          .where('namespace_uid', '=', key.namespace_uid)
          .where('name', '=', key.name)
          .execute()
        await tx.append(streamOf(key), 'any', [change(key.name, access.namespace, caller.username, 'delete')])
      })
    },
  })
  return [list, get, create, replace, remove]
}

async function locked(tx: Tx, key: Pick<Item, 'namespace_uid' | 'name'>): Promise<Item> {
  const found = await tx
    .tables<Tables>()
    .selectFrom('x_bookmarks_items')
    .selectAll()
    .where('namespace_uid', '=', key.namespace_uid)
    .where('name', '=', key.name)
    .forUpdate()
    .executeTakeFirst()
  if (found === undefined) throw new Fail('not_found')
  return found
}

// oxlint-disable-next-line import/no-default-export -- the form of a third-party plugin
export default definePlugin({
  contract: 1,
  name: 'bookmarks',
  summary: 'Bookmarks of namespaces.',
  settings: Type.Object({}, { additionalProperties: false }),
  requires: ['store'],
  migrations: new URL('./migrations/', import.meta.url),
  events: [changed],
  errors,
  access: [{ resource: 'bookmarks', viewer: ['get', 'list'], developer: ['create', 'update', 'delete'] }],
  create: ({ store, observed, now }) => ({ store, observed, now }),
  routes: routesOf,
})
