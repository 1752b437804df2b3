import { isNewer } from '#core/kube/list-request.ts'
import type { NewEvent } from '#core/event-store/event.ts'
import type { Store, StreamEvent, Tx } from '#core/event-store/store.ts'
import { changesOf } from './audited-fields.ts'
import type { Informer } from '../watch/declarations.ts'
import { objectCreated, objectDeleted, objectUpdated } from './object-events.ts'
import { storeResumeVersion } from './resume-version.ts'
import type { InformerPart } from './resume-version.ts'
import { eventId, guessedActor } from './object-fingerprint.ts'
import type { Observation } from './object-fingerprint.ts'
import { applyDeletion, applyObservation, insertTombstone, lockObjects, saveObjects, UNREAD } from './object-index.ts'
import type { IndexedObject, IndexedObjectRow, ObjectVerb } from './object-index.ts'
import type { ObjectIndexTables } from '#core/cluster/object-index-tables.ts'
import type { ReportedObject } from './reported-objects.ts'

/** One entry of a list or a watch: an object, or its deletion. */
export interface Delta {
  readonly observation: Observation
  readonly deleted: boolean
}

// Deletions recorded per transaction after a list.
const CHUNK = 200

/** Source of deltas. */
export interface DeltaSource {
  /** Received from a list instead of a watch. */
  readonly late: boolean
  /** The resourceVersion up to which everything is stored with these deltas. */
  readonly through?: string | undefined
}

/** Compares deltas with the object index, in order, in one transaction with the resulting events. */
export async function recordDeltas(
  store: Store,
  informer: InformerPart,
  deltas: readonly Delta[],
  { late, through }: DeltaSource,
): Promise<void> {
  if (deltas.length === 0 && through === undefined) return
  await store.transact(async (tx) => {
    if (deltas.length > 0) await recordAll(tx, informer, deltas, late)
    if (through !== undefined) await storeResumeVersion(tx, informer, { through, listed: false })
  })
}

async function recordAll(tx: Tx, informer: Informer, deltas: readonly Delta[], late: boolean) {
  const observations = deltas.map((delta) => delta.observation)
  const indexed = await lockObjects(tx, informer.resourceKind, observations)
  const events = deltas.flatMap((delta) => applyDelta(informer, indexed.get(delta.observation.uid), delta, late))
  await saveObjects(tx, indexed.values())
  await tx.appendEach(events)
}

function applyDelta(
  informer: Informer,
  indexed: IndexedObject | undefined,
  { observation, deleted }: Delta,
  late: boolean,
): StreamEvent[] {
  if (indexed === undefined) return []
  const { audited: before } = indexed
  const verbs = deleted
    ? applyDeletion(indexed)
    : [applyObservation(indexed, observation)].filter((verb) => verb !== undefined)
  const changes = changesOf(before, observation.audited)
  return verbs.map((verb) =>
    toStreamEvent(informer, {
      verb,
      observation,
      // A creation known only from the deletion was not observed in time.
      late: late || (deleted && verb === 'create'),
      ...(verb === 'update' && changes !== undefined ? { changes } : {}),
    }),
  )
}

/** Records the deletion of an object that no informer has seen. Returns false if an informer has seen it meanwhile. */
export async function recordMissedDeletion(
  store: Store,
  informer: Informer,
  reported: ReportedObject,
): Promise<boolean> {
  const { uid, namespace, name, resourceVersion } = reported
  const unread = {
    contentHash: UNREAD,
    generation: undefined,
    actorGuess: undefined,
    error: undefined,
    audited: undefined,
    spec: undefined,
    problems: undefined,
  }
  const observation: Observation = { uid, namespace, name, resourceVersion, ...unread }
  return store.transact(async (tx) => {
    if (!(await insertTombstone(tx, informer.resourceKind, observation))) return false
    // No creation event: the report has recorded it, or it precedes this installation.
    await tx.appendEach([toStreamEvent(informer, { verb: 'delete', observation, late: true })])
    return true
  })
}

/**
 * Records the end of a list: live objects that were not listed and are not newer than the list are deleted, with late events. Then
 * everything is stored up to the version of the list.
 */
export async function recordListEnd(
  store: Store,
  informer: InformerPart,
  listed: ReadonlySet<string>,
  listVersion: string,
): Promise<void> {
  const alive = await rowsOf(store, informer).selectAll().where('deleted_at', 'is', null).execute()
  const missing = alive
    .filter((row) => !listed.has(row.uid) && !isNewer(row.rv, listVersion))
    .map((row) => ({ observation: fromRow(row), deleted: true }))
  for (let start = 0; start < missing.length; start += CHUNK)
    await recordDeltas(store, informer, missing.slice(start, start + CHUNK), { late: true })
  await store.transact((tx) => storeResumeVersion(tx, informer, { through: listVersion, listed: true }))
}

/** Whether objects of the part are indexed, in which case the first list of a process follows a gap. */
export async function hasObjects(store: Store, informer: InformerPart): Promise<boolean> {
  return (await rowsOf(store, informer).select('uid').limit(1).executeTakeFirst()) !== undefined
}

/** Whether an object of the part was recorded by a process that did not read its problems: then the kind is listed. */
export async function hasUnread(store: Store, informer: InformerPart): Promise<boolean> {
  const unread = rowsOf(store, informer).where('deleted_at', 'is', null).where('problems', 'is', null)
  return (await unread.select('uid').limit(1).executeTakeFirst()) !== undefined
}

// A list of one namespace does not cover the objects of others.
function rowsOf(store: Store, { resource, resourceKind, namespace }: InformerPart) {
  const rows = store.reader<ObjectIndexTables>().selectFrom('object_index').where('kind', '=', resourceKind)
  if (namespace === undefined) return rows
  return resource.namespaced
    ? rows.where('namespace', '=', namespace)
    : rows.where('namespace', '=', '').where('name', '=', namespace)
}

interface RecordedChange {
  readonly verb: ObjectVerb
  readonly observation: Observation
  readonly late: boolean
  readonly changes?: NonNullable<ReturnType<typeof changesOf>>
}

const types = { create: objectCreated, update: objectUpdated, delete: objectDeleted } as const

function toStreamEvent(informer: Informer, { verb, observation, late, changes }: RecordedChange): StreamEvent {
  const { resourceKind: kind } = informer
  const { group } = informer.resource
  const { uid, name, namespace } = observation
  // The newest manager is the last writer; managed fields do not name the account that deleted an object.
  const actorGuess = verb === 'delete' ? undefined : observation.actorGuess
  const event: NewEvent = {
    type: types[verb],
    id: eventId(informer, verb, observation),
    subject: { namespace: namespace === '' ? undefined : namespace, kind, name, uid },
    data: {
      group,
      kind,
      uid,
      resourceVersion: observation.resourceVersion,
      specHash: observation.contentHash,
      ...(observation.generation === undefined ? {} : { generation: observation.generation }),
      ...(actorGuess === undefined ? {} : { actorGuess }),
      ...(late ? { late } : {}),
      ...(changes === undefined ? {} : { changes }),
      ...(observation.error === undefined ? {} : { error: observation.error }),
    },
    // A field manager is an arbitrary string of the client and must not look like an account.
    ...(actorGuess === undefined ? {} : { actor: { name: guessedActor(actorGuess), kind: 'controller' } }),
  }
  return { stream: `cluster/${group}/${kind}/${uid}`, event }
}

function fromRow(row: IndexedObjectRow): Observation {
  const { uid, namespace, name, rv: resourceVersion, content_hash: contentHash } = row
  return {
    uid,
    namespace,
    name,
    resourceVersion,
    contentHash,
    generation: undefined,
    actorGuess: undefined,
    error: undefined,
    audited: undefined,
    spec: undefined,
    problems: undefined,
  }
}
