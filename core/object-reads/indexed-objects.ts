import { sql } from 'kysely'
import type { Reader, Store, Tx } from '#core/event-store/store.ts'
import type { AuditedFields, IndexedFields, ObjectIndexTables } from '#core/cluster/object-index-tables.ts'
import type { ObservedObject } from '#core/cluster/observed-objects.ts'
import type { ServedNamespaces } from '#core/cluster/served-namespaces.ts'
import type { Kind } from '#schemas/kinds/kind.ts'

/** An object of the index, with the fields of its spec that its kind declares as `audited` and as `indexed`. */
export interface IndexedEntry<Spec = IndexedFields> extends Omit<ObservedObject, 'namespaceUid' | 'spec'> {
  /** Audited fields by path, lists as JSON. */
  readonly fields: AuditedFields
  /** Indexed fields as they are in the object. A field may be absent: the object lacks it, or its fields are too long for the index. */
  readonly spec: Readonly<Partial<Spec>>
}

/** A kind by its name, or by its value, which gives `spec` its type. */
export type KindRef<Spec> = string | Pick<Kind<Spec>, 'kind' | 'object'>

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
export interface IndexedReads extends ObjectReads {
  /** The same reads in a transaction: a handler of a consumer may call nothing outside its own. */
  within(tx: Pick<Tx, 'tables'>): ObjectReads
}

/** The reads themselves. */
export interface ObjectReads {
  /** Finds an object by its name. */
  get<Spec = IndexedFields>(
    kind: KindRef<Spec>,
    namespace: string,
    name: string,
  ): Promise<IndexedEntry<Spec> | undefined>
  /** Finds an object by its uid. */
  ofUid<Spec = IndexedFields>(kind: KindRef<Spec>, uid: string): Promise<IndexedEntry<Spec> | undefined>
  /** Lists objects in the order of namespaces and names. */
  list<Spec = IndexedFields>(kind: KindRef<Spec>, page: IndexedPage): Promise<readonly IndexedEntry<Spec>[]>
}

/** Reads of the kinds of one plugin. Throws for other kinds. */
export type IndexedObjects = IndexedReads

const mostRows = 1_000

/** Creates the reads of a store. */
export function createIndexedReads(store: Pick<Store, 'reader'>, served: ServedNamespaces): IndexedReads {
  return {
    ...createReads(() => store.reader<ObjectIndexTables>(), served),
    within: (tx) => createReads(() => tx.tables<ObjectIndexTables>(), served),
  }
}

function createReads(db: () => Reader<ObjectIndexTables>, served: ServedNamespaces): ObjectReads {
  const select = async <Spec>(kind: KindRef<Spec>, filter: IndexFilter): Promise<readonly IndexedEntry<Spec>[]> =>
    (await selectLive(db(), nameOf(kind), filter)).map((row) => toEntry<Spec>(row))
  const one = async <Spec>(kind: KindRef<Spec>, filter: IndexFilter): Promise<IndexedEntry<Spec> | undefined> => {
    const [found] = await select<Spec>(kind, { ...filter, limit: 1 })
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
  const own = <Spec>(kind: KindRef<Spec>): KindRef<Spec> => {
    if (kinds.has(nameOf(kind))) return kind
    throw new Error(`the plugin ${plugin} neither declares nor watches the kind ${nameOf(kind)}`)
  }
  const limited = (of: ObjectReads): ObjectReads => ({
    get: async (kind, namespace, name) => of.get(own(kind), namespace, name),
    ofUid: async (kind, uid) => of.ofUid(own(kind), uid),
    list: async (kind, page) => of.list(own(kind), page),
  })
  return { ...limited(reads), within: (tx) => limited(reads.within(tx)) }
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
  readonly spec: IndexedFields | null
}

// A re-created object may be observed before the deletion of the old one; the newer version is live.
async function selectLive(
  db: Reader<ObjectIndexTables>,
  kind: string,
  { namespaces, name, uid, after, limit = mostRows }: IndexFilter,
): Promise<readonly IndexedRow[]> {
  const { rows } = await sql<IndexedRow>`
    select distinct on (namespace, name) uid, kind, namespace, name, rv, audited, spec from object_index
    where kind = ${kind} and deleted_at is null
      ${namespaces === undefined ? sql`` : sql`and namespace = any(${[...namespaces]}::text[])`}
      ${name === undefined ? sql`` : sql`and name = ${name}`}
      ${uid === undefined ? sql`` : sql`and uid = ${uid}`}
      ${after === undefined ? sql`` : sql`and (namespace, name) > (${after.namespace}, ${after.name})`}
    order by namespace, name, length(rv) desc, rv desc limit ${limit}`.execute(db)
  return rows
}

function toEntry<Spec>({ rv: resourceVersion, audited, spec, ...names }: IndexedRow): IndexedEntry<Spec> {
  return { ...names, resourceVersion, fields: audited ?? {}, spec: withoutNulls(spec ?? {}) as Readonly<Partial<Spec>> }
}

function withoutNulls(spec: IndexedFields): IndexedFields {
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== null))
}

function nameOf(kind: string | { readonly kind: string }): string {
  return typeof kind === 'string' ? kind : kind.kind
}
