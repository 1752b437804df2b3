import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { isDeletedUnderLock } from '#core/cluster/object-index-sql.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { accountActor } from '#core/event-store/event.ts'
import type { EventType, NewEvent } from '#core/event-store/event.ts'
import type { Tx } from '#core/event-store/store.ts'
import { asObject } from '#core/json/is-object.ts'
import type { Idempotency } from '../../endpoint/endpoint.ts'
import { insertKeyed } from '../keyed-row.ts'
import { appendRevision } from './revisions.ts'
import type { StoredResource } from '../declared/stored-resource.ts'
import { DEFAULT_QUOTA } from '../declared/stored-spec.ts'
import { asJson, deleteStored, firstVersion, lockStored, updateStored } from './stored-rows.ts'
import type { StoredKey, StoredRow } from './stored-rows.ts'

/** Author and time of a write. */
export interface Authorship {
  readonly by: string
  readonly at: Date
}

/** A new object of a namespace whose uid was observed. */
export interface NewStored<Fields = unknown> extends StoredKey, Authorship {
  readonly namespaceUid: string
  readonly fields: Fields
  /** Maximum number of objects of the namespace. */
  readonly quota: number
  readonly idempotency?: Idempotency | undefined
}

/**
 * Stores a new object with its event, in the transaction of the caller. A repeat with the same idempotency key returns the object of the first
 * request. Throws `<kind>_exists`, `<kind>_quota_exceeded`, or `not_found` for a namespace that was deleted meanwhile.
 */
export async function createStoredIn<Fields>(
  tx: Tx,
  resource: StoredResource<Fields>,
  given: NewStored<Fields>,
): Promise<StoredRow> {
  const { names, errors, usage, spec } = resource
  const { namespace, namespaceUid, name, fields, by, at, quota, idempotency } = given
  const db = tx.tables()
  // Rows of a namespace are removed after its deletion was stored: none may follow.
  if (await isDeletedUnderLock(db, 'Namespace', namespaceUid)) throw new Fail('not_found')
  const values = {
    id: uuidV7(at.getTime()),
    namespace,
    namespace_uid: namespaceUid,
    name,
    fields: asJson(fields),
    version: firstVersion(streamOf(resource, { namespace_uid: namespaceUid, name })),
    revision: spec.revisions === undefined ? null : 1,
    created_at: at,
    created_by: by,
    updated_at: at,
    updated_by: by,
  }
  const made = await insertKeyed<StoredRow>(db, { table: names.table, values, idempotency })
  if (made === undefined) throw new Fail(errors.exists)
  const { row, repeated } = made
  if (repeated) return row
  if ((await usage.addUpTo(db, sql`${namespaceUid}`, { items: 1 }, { items: quota })) === undefined)
    throw new Fail(errors.quota, `Namespace ${namespace} has ${quota} of ${names.plural}, its maximum.`)
  if (spec.revisions !== undefined) await appendRevision(db, names, row)
  await appendStored(tx, resource, {
    row,
    by,
    type: resource.events.created,
    data: { id: row.id, version: row.version },
  })
  return row
}

/** A change of an object. `expect` compares the version of the locked row, and throws. */
export interface StoredUpdate<Fields = unknown> extends StoredKey, Authorship {
  readonly fields: Fields
  readonly expect: (version: number) => void
}

/**
 * Replaces the fields of an object, in the transaction of the caller. With revisions, new content is a further one, and equal content changes
 * nothing. Throws `not_found`, what `expect` throws, or `<kind>_quota_exceeded` for a further revision.
 */
export async function updateStoredIn<Fields>(
  tx: Tx,
  resource: StoredResource<Fields>,
  { fields, expect, by, at, ...key }: StoredUpdate<Fields>,
): Promise<StoredRow> {
  const { names, spec, errors } = resource
  const found = await lockedObject(tx, resource, key)
  expect(found.version)
  const isEqual = isDeepStrictEqual(found.fields, JSON.parse(JSON.stringify(fields)))
  if (spec.revisions !== undefined && isEqual) return found
  const { most = DEFAULT_QUOTA } = spec.revisions ?? {}
  const revision = found.revision === null ? null : found.revision + 1
  if (revision !== null && revision > most)
    throw new Fail(errors.quota, `${key.name} has ${most} revisions, its maximum.`)
  const row = await updateStored(tx.tables(), names, found.id, { fields, revision, at, by })
  if (revision !== null) await appendRevision(tx.tables(), names, row)
  const data = { id: row.id, version: row.version, fields: changedFields(found.fields, row.fields) }
  await appendStored(tx, resource, { row, by, type: resource.events.updated, data })
  return row
}

/** Deletes an object with everything below it, in the transaction of the caller. Throws `not_found`, or what `expect` throws. */
export async function deleteStoredIn(
  tx: Tx,
  resource: StoredResource,
  { expect, by, ...key }: StoredKey & Pick<Authorship, 'by'> & Pick<StoredUpdate, 'expect'>,
): Promise<StoredRow> {
  const found = await lockedObject(tx, resource, key)
  expect(found.version)
  await deleteStored(tx.tables(), resource.names, found.id)
  await resource.usage.subtract(tx.tables(), [{ owner: found.namespace_uid, items: 1 }])
  const data = { id: found.id, version: found.version }
  await appendStored(tx, resource, { row: found, by, type: resource.events.deleted, data })
  return found
}

/** Locks an object; throws `not_found`. */
export async function lockedObject(tx: Tx, { names }: StoredResource, key: StoredKey): Promise<StoredRow> {
  const found = await lockStored(tx.tables(), names, key)
  if (found === undefined) throw new Fail('not_found')
  return found
}

interface Appended<Data> {
  readonly row: Pick<StoredRow, 'id' | 'namespace' | 'namespace_uid' | 'name'>
  readonly by: string
  readonly type: EventType<Data>
  readonly data: Data
  /** Kind and name of the subject; default: those of the object. */
  readonly subject?: { readonly kind: string; readonly name: string; readonly uid: string }
}

/** Appends an event of an object. The stream has one event for each version of the object. */
export async function appendStored<Data>(
  tx: Tx,
  resource: StoredResource,
  { row, by, type, data, subject }: Appended<Data>,
): Promise<void> {
  const own = subject ?? { kind: resource.names.kind, name: row.name, uid: row.id }
  const event: NewEvent<Data> = {
    type,
    actor: accountActor(by),
    subject: { namespace: row.namespace, namespaceUid: row.namespace_uid, ...own },
    data,
  }
  const stream = streamOf(resource, row)
  await tx.append(subject === undefined ? stream : `${stream}/${subject.uid}`, 'any', [event as NewEvent])
}

function streamOf(
  { names }: StoredResource,
  { namespace_uid: uid, name }: Pick<StoredRow, 'namespace_uid' | 'name'>,
): string {
  return `${names.plugin}/${names.plural}/${uid}/${name}`
}

function changedFields(before: unknown, after: unknown): string[] {
  const [old, now] = [asObject(before), asObject(after)]
  const all = new Set([...Object.keys(old), ...Object.keys(now)])
  return [...all].filter((field) => !isDeepStrictEqual(old[field], now[field])).toSorted()
}
