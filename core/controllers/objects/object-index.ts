import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import type { Selectable, Transaction } from 'kysely'
import { isNewer } from '#core/kube/list-request.ts'
import type { Tx } from '#core/event-store/store.ts'
import type { Observation } from './object-fingerprint.ts'
import type {
  AuditedFields,
  IndexedFields,
  ObjectIndexTables,
  ObjectProblems,
} from '#core/cluster/object-index-tables.ts'

/** One row of the object index. */
export type IndexedObjectRow = Selectable<ObjectIndexTables['object_index']>
/** Change of an object. */
export type ObjectVerb = 'create' | 'update' | 'delete'

/** Content hash of an object that no informer has read. */
export const UNREAD = ''

/** An indexed object while a transaction compares it with observations. */
export interface IndexedObject {
  readonly uid: string
  resourceVersion: string
  contentHash: string
  audited: AuditedFields | undefined
  spec: IndexedFields | undefined
  problems: ObjectProblems | undefined
  deleted: boolean
  /** The deletion was recorded before an informer observed the object. */
  readonly deletionMissed: boolean
  /** Inserted by this transaction, without a creation event yet. */
  unreported: boolean
  /** Differs from its row. */
  changed: boolean
}

/** Locks the rows of observed objects and inserts missing ones, both in the order of uids: two replicas never deadlock. */
export async function lockObjects(
  tx: Tx,
  kind: string,
  observations: readonly Observation[],
): Promise<ReadonlyMap<string, IndexedObject>> {
  const indexed = new Map<string, IndexedObject>()
  const lock = async (uids: readonly string[]): Promise<void> => {
    for (const row of await lockRows(tx, uids)) indexed.set(row.uid, fromRow(row))
  }
  const firsts = new Map(observations.toReversed().map((one) => [one.uid, one]))
  await lock([...firsts.keys()])
  const missing = [...firsts.values()].filter((one) => !indexed.has(one.uid))
  if (missing.length === 0) return indexed
  const inserted = await insertRows(tx, kind, missing)
  for (const one of missing) if (inserted.has(one.uid)) indexed.set(one.uid, fromFirst(one))
  // Another replica has just inserted these rows and emits their creation; later changes may be new to it.
  const others = missing.filter((one) => !inserted.has(one.uid))
  if (others.length > 0) await lock(others.map((one) => one.uid))
  return indexed
}

/** Applies an observation of a live object. Returns the verb of the event to emit, if any. */
export function applyObservation(indexed: IndexedObject, observation: Observation): ObjectVerb | undefined {
  if (indexed.unreported) {
    indexed.unreported = false
    return 'create'
  }
  // A watch that lags behind a recorded missed deletion: its changes are emitted, but not a second deletion.
  if (indexed.deletionMissed && indexed.contentHash === UNREAD) {
    assign(indexed, observation)
    return 'create'
  }
  // A uid is never reused, and an older version is a replay or was recorded by another replica.
  const final = indexed.deleted && !indexed.deletionMissed
  if (!final) fillSpec(indexed, observation)
  if (!final && indexed.problems === undefined) readProblems(indexed, observation)
  if (final || !isNewer(observation.resourceVersion, indexed.resourceVersion)) return undefined
  const verb = indexed.contentHash === observation.contentHash ? undefined : 'update'
  assign(indexed, observation)
  return verb
}

/** Marks an object as deleted. An object that was never observed alive gets its creation event first. */
export function applyDeletion(indexed: IndexedObject): readonly ObjectVerb[] {
  const created: readonly ObjectVerb[] = indexed.unreported ? ['create'] : []
  indexed.unreported = false
  if (indexed.deleted) return created
  indexed.deleted = true
  indexed.changed = true
  return [...created, 'delete']
}

// Of a version that an older process has recorded.
function readProblems(indexed: IndexedObject, { resourceVersion, problems }: Observation): void {
  if (resourceVersion !== indexed.resourceVersion || problems === undefined) return
  indexed.problems = problems
  indexed.changed = true
}

function assign(indexed: IndexedObject, observation: Observation): void {
  indexed.resourceVersion = observation.resourceVersion
  indexed.contentHash = observation.contentHash
  indexed.audited = observation.audited ?? indexed.audited
  indexed.spec = observation.spec ?? indexed.spec
  indexed.problems = observation.problems ?? indexed.problems
  indexed.changed = true
}

// The same version has further fields, since its kind declares them now.
function fillSpec(indexed: IndexedObject, { resourceVersion, spec }: Observation): void {
  if (spec === undefined || resourceVersion !== indexed.resourceVersion) return
  if (isDeepStrictEqual(spec, indexed.spec)) return
  indexed.spec = spec
  indexed.changed = true
}

/** Writes changed objects. */
export async function saveObjects(tx: Tx, objects: Iterable<IndexedObject>): Promise<void> {
  const changed = [...objects].filter((one) => one.changed)
  if (changed.length === 0) return
  await sql`
    update object_index o
    set rv = c."resourceVersion", content_hash = c."contentHash", audited = coalesce(c.audited, o.audited),
      spec = coalesce(c.spec, o.spec), problems = coalesce(c.problems, o.problems),
      deleted_at = case when c.deleted then coalesce(o.deleted_at, now()) end
    from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb)
      as c(uid text, "resourceVersion" text, "contentHash" text, audited jsonb, spec jsonb, problems jsonb, deleted boolean)
    where o.uid = c.uid`.execute(tx.tables())
}

/** Inserts the tombstone of an object that no informer has seen. Returns false if the object is indexed already. */
export async function insertTombstone(tx: Tx, kind: string, object: Observation): Promise<boolean> {
  if ((await insertRows(tx, kind, [object])).size === 0) return false
  await tx
    .tables<ObjectIndexTables>()
    .updateTable('object_index')
    .set({ deleted_at: sql<Date>`now()`, deletion_missed: true })
    .where('uid', '=', object.uid)
    .execute()
  return true
}

async function lockRows(tx: Tx, uids: readonly string[]): Promise<IndexedObjectRow[]> {
  const rows = tx.tables<ObjectIndexTables>().selectFrom('object_index').selectAll().where('uid', 'in', uids)
  return rows.orderBy('uid').forUpdate().execute()
}

// Returns the uids of inserted rows.
async function insertRows(tx: Tx, kind: string, objects: readonly Observation[]): Promise<ReadonlySet<string>> {
  const rows = objects.map(({ uid, namespace, name, resourceVersion: rv, contentHash: content_hash, ...read }) => {
    const [audited, spec, problems] = [jsonb(read.audited), jsonb(read.spec), jsonb(read.problems)]
    return { uid, kind, namespace, name, rv, content_hash, deleted_at: null, audited, spec, problems }
  })
  const inserted = await tx
    .tables<ObjectIndexTables>()
    .insertInto('object_index')
    .values(rows.toSorted((a, b) => (a.uid < b.uid ? -1 : 1)))
    .onConflict((conflict) => conflict.doNothing())
    .returning('uid')
    .execute()
  return new Set(inserted.map((row) => row.uid))
}

// Encoded as JSON text: the driver would encode an object as a parameter of another type.
function jsonb<Value>(value: Value | undefined) {
  return value === undefined ? null : sql<Value>`${JSON.stringify(value)}::jsonb`
}

function fromRow(row: IndexedObjectRow): IndexedObject {
  const { uid, rv: resourceVersion, content_hash: contentHash, deletion_missed: deletionMissed } = row
  return {
    uid,
    resourceVersion,
    contentHash,
    audited: row.audited ?? undefined,
    spec: row.spec ?? undefined,
    problems: row.problems ?? undefined,
    deletionMissed,
    deleted: row.deleted_at !== null,
    unreported: false,
    changed: false,
  }
}

function fromFirst({ uid, resourceVersion, contentHash, audited, spec, problems }: Observation): IndexedObject {
  return {
    uid,
    resourceVersion,
    contentHash,
    audited,
    spec,
    problems,
    deletionMissed: false,
    deleted: false,
    unreported: true,
    changed: false,
  }
}

/** Deletes tombstones that are older than the event log; a uid is never reused. Returns the number of deleted rows. */
export async function pruneTombstones(db: Transaction<unknown>, retentionDays: number): Promise<bigint> {
  const { numAffectedRows } = await sql`
    delete from object_index where deleted_at < now() - make_interval(days => ${retentionDays})`.execute(db)
  return numAffectedRows ?? 0n
}

/**
 * Makes the next lists authoritative, after a restore of the store or the cluster: versions may have decreased, and deleted objects may
 * exist again. Content hashes are kept, so that unchanged objects have no new events.
 */
export async function resetIndex(db: Transaction<unknown>): Promise<void> {
  await sql`delete from object_index where deleted_at is not null`.execute(db)
  await sql`update object_index set rv = '0'`.execute(db)
  await sql`delete from resume_versions`.execute(db)
  await sql`delete from namespace_resume_versions`.execute(db)
}
