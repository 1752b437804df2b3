import { sql } from 'kysely'
import type { Store } from '#core/event-store/store.ts'
import type { AuditedFields, ObjectIndexTables } from '#core/cluster/object-index-tables.ts'
import type { ObservedObject } from '#core/cluster/observed-objects.ts'
import type { ServedNamespaces } from '#core/cluster/served-namespaces.ts'

/** An object of the index, with the fields of its spec that its kind declares as audited. */
export interface IndexedEntry extends Omit<ObservedObject, 'namespaceUid'> {
  readonly fields: AuditedFields
}

/** A page of objects: its size, from 1 to 1,000, and the last object of the page before it. */
export interface IndexedPage {
  /** Default: every namespace. */
  readonly namespace?: string
  readonly limit: number
  readonly after?: { readonly namespace: string; readonly name: string }
}

/**
 * Reads of the object index: live objects as the manager has observed them, some milliseconds late, without any right at the cluster. Nothing else of
 * their specs is stored. Objects of namespaces that are no longer served are not found.
 */
export interface IndexedReads {
  /** Finds an object by its name. */
  get(kind: string, namespace: string, name: string): Promise<IndexedEntry | undefined>
  /** Finds an object by its uid. */
  ofUid(kind: string, uid: string): Promise<IndexedEntry | undefined>
  /** Lists objects in the order of namespaces and names. */
  list(kind: string, page: IndexedPage): Promise<readonly IndexedEntry[]>
}

/** Reads of the kinds of one plugin. Throws for other kinds. */
export type IndexedObjects = IndexedReads

const mostRows = 1_000

/** Creates the reads of a store. */
export function createIndexedReads(store: Pick<Store, 'reader'>, served: ServedNamespaces): IndexedReads {
  const select = async (kind: string, filter: IndexFilter): Promise<readonly IndexedEntry[]> =>
    (await selectLive(store, kind, filter)).map(toEntry)
  const one = async (kind: string, filter: IndexFilter): Promise<IndexedEntry | undefined> => {
    const [found] = await select(kind, { ...filter, limit: 1 })
    return found !== undefined && served.has(found.namespace) ? found : undefined
  }
  return {
    get: (kind, namespace, name) => one(kind, { namespaces: [namespace], name }),
    ofUid: (kind, uid) => one(kind, { uid }),
    list: async (kind, { namespace, limit, after }) => {
      if (!Number.isInteger(limit) || limit < 1 || limit > mostRows)
        throw new RangeError(`limit must be a whole number from 1 to ${mostRows}`)
      const named = namespace === undefined ? served.names : served.has(namespace) ? [namespace] : []
      return select(kind, { namespaces: named, after, limit })
    },
  }
}

/** Limits the reads to the kinds of a plugin. */
export function ofOwnKinds(reads: IndexedReads, plugin: string, kinds: ReadonlySet<string>): IndexedObjects {
  const own = (kind: string): string => {
    if (kinds.has(kind)) return kind
    throw new Error(`the plugin ${plugin} neither declares nor watches the kind ${kind}`)
  }
  return {
    get: async (kind, namespace, name) => reads.get(own(kind), namespace, name),
    ofUid: async (kind, uid) => reads.ofUid(own(kind), uid),
    list: async (kind, page) => reads.list(own(kind), page),
  }
}

interface IndexFilter {
  readonly namespaces?: readonly string[] | undefined
  readonly name?: string
  readonly uid?: string
  readonly after?: IndexedPage['after']
  readonly limit?: number
}

interface IndexedRow {
  readonly uid: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly rv: string
  readonly audited: AuditedFields | null
}

// A re-created object may be observed before the deletion of the old one; the newer version is live.
async function selectLive(
  store: Pick<Store, 'reader'>,
  kind: string,
  { namespaces, name, uid, after, limit = mostRows }: IndexFilter,
): Promise<readonly IndexedRow[]> {
  const { rows } = await sql<IndexedRow>`
    select distinct on (namespace, name) uid, kind, namespace, name, rv, audited from object_index
    where kind = ${kind} and deleted_at is null
      ${namespaces === undefined ? sql`` : sql`and namespace = any(${[...namespaces]}::text[])`}
      ${name === undefined ? sql`` : sql`and name = ${name}`}
      ${uid === undefined ? sql`` : sql`and uid = ${uid}`}
      ${after === undefined ? sql`` : sql`and (namespace, name) > (${after.namespace}, ${after.name})`}
    order by namespace, name, length(rv) desc, rv desc limit ${limit}`.execute(store.reader<ObjectIndexTables>())
  return rows
}

function toEntry({ uid, kind, namespace, name, rv: resourceVersion, audited }: IndexedRow): IndexedEntry {
  return { uid, kind, namespace, name, resourceVersion, fields: audited ?? {} }
}
