import { isNewer } from '#core/kube/resource-version.ts'
import type { NewEvent } from '#core/event-store/event.ts'
import type { Store } from '#core/event-store/store.ts'
import { changesOf } from './audited-fields.ts'
import type { Informer } from '../watch/declarations.ts'
import { objectCreated, objectDeleted, objectUpdated } from './object-events.ts'
import { noteFollowed } from './resume-version.ts'
import type { InformerPart } from './resume-version.ts'
import { eventId, guessedActor } from './object-fingerprint.ts'
import type { Observation } from './object-fingerprint.ts'
import { insertDeparted, noteDeleted, noteSeen, openRows, saveRows, UNREAD } from './object-index.ts'
import type { ObservedRow, ObservedTx, Remembered, Verb } from './object-index.ts'
import type { ObservedTables } from '#core/cluster/observed-tables.ts'
import type { ToldObject } from './extension-points.ts'

/** One sight of an object: there, or told to be gone. */
export interface Sight {
  readonly seen: Observation
  readonly gone: boolean
}

// Gone objects of a list marked at once.
const CHUNK = 200

/** How something was seen. */
export interface Means {
  /** By a list instead of a watch. */
  readonly late: boolean
  /** With it all is remembered up to this version. */
  readonly through?: string | undefined
}

/** Compares what was seen with what is remembered, in order, in one transaction with the events that follow from it. */
export async function remember(
  store: Store,
  informer: InformerPart,
  sights: readonly Sight[],
  means: Means,
): Promise<void> {
  const { late, through } = means
  if (sights.length === 0 && through === undefined) return
  await store.transact(async (tx: ObservedTx) => {
    if (sights.length > 0) await compareAll(tx, informer, sights, late)
    if (through !== undefined) await noteFollowed(tx, informer, { through, listed: false })
  })
}

async function compareAll(tx: ObservedTx, informer: Informer, sights: readonly Sight[], late: boolean): Promise<void> {
  const observations = sights.map((sight) => sight.seen)
  const known = await openRows(tx, informer.resourceKind, observations)
  const told = sights.flatMap((sight) => compare(informer, known.get(sight.seen.uid), sight, late))
  await saveRows(tx, known.values())
  await tx.appendEach(told)
}

function compare(informer: Informer, known: Remembered | undefined, { seen, gone }: Sight, late: boolean): Told[] {
  if (known === undefined) return []
  const { audited: before } = known
  const verbs = gone ? noteDeleted(known) : [noteSeen(known, seen)].filter((verb) => verb !== undefined)
  // A creation that only its deletion tells of was not seen when it happened.
  const changes = changesOf(before, seen.audited)
  return verbs.map((verb) =>
    toldOf(informer, {
      verb,
      seen,
      late: late || (gone && verb === 'create'),
      ...(verb === 'update' && changes !== undefined ? { changes } : {}),
    }),
  )
}

/** Notes an object that was never seen and is gone, with its deletion; false when an informer has seen it after all. */
export async function rememberDeparted(store: Store, informer: Informer, told: ToldObject): Promise<boolean> {
  const { uid, namespace, name, resourceVersion } = told
  const unread = {
    contentHash: UNREAD,
    generation: undefined,
    actorGuess: undefined,
    error: undefined,
    audited: undefined,
  }
  const seen: Observation = { uid, namespace, name, resourceVersion, ...unread }
  return store.transact(async (tx: ObservedTx) => {
    if (!(await insertDeparted(tx, informer.resourceKind, seen))) return false
    // Its creation is not told: whoever told of the object has that already, or it is from before this installation.
    await tx.appendEach([toldOf(informer, { verb: 'delete', seen, late: true })])
    return true
  })
}

/** After a list: what is remembered alive, was not on it and is not newer than it, is gone; its events are late. Then all is known up to it. */
export async function rememberMissing(
  store: Store,
  informer: InformerPart,
  present: ReadonlySet<string>,
  listVersion: string,
): Promise<void> {
  const alive = await rowsOf(store, informer).selectAll().where('deleted_at', 'is', null).execute()
  const missing = alive
    .filter((row) => !present.has(row.uid) && !isNewer(row.rv, listVersion))
    .map((row) => ({ seen: fromRow(row), gone: true }))
  for (let start = 0; start < missing.length; start += CHUNK)
    await remember(store, informer, missing.slice(start, start + CHUNK), { late: true })
  await store.transact((tx: ObservedTx) => noteFollowed(tx, informer, { through: listVersion, listed: true }))
}

/** Whether the part was followed before: then the first list of a process follows a gap. */
export async function wasObserved(store: Store, informer: InformerPart): Promise<boolean> {
  return (await rowsOf(store, informer).select('uid').limit(1).executeTakeFirst()) !== undefined
}

// A list of one namespace says nothing of the objects of others.
function rowsOf(store: Store, { resource, resourceKind, namespace }: InformerPart) {
  const rows = store.reader<ObservedTables>().selectFrom('observed').where('kind', '=', resourceKind)
  if (namespace === undefined) return rows
  return resource.namespaced
    ? rows.where('namespace', '=', namespace)
    : rows.where('namespace', '=', '').where('name', '=', namespace)
}

interface Told {
  readonly stream: string
  readonly event: NewEvent
}

interface Seen {
  readonly verb: Verb
  readonly seen: Observation
  readonly late: boolean
  readonly changes?: NonNullable<ReturnType<typeof changesOf>>
}

const types = { create: objectCreated, update: objectUpdated, delete: objectDeleted } as const

function toldOf(informer: Informer, { verb, seen, late, changes }: Seen): Told {
  const { resourceKind: kind } = informer
  const { group } = informer.resource
  const { uid, name, namespace } = seen
  // Who deleted an object is not on it: its newest manager is who wrote last.
  const actorGuess = verb === 'delete' ? undefined : seen.actorGuess
  const event: NewEvent = {
    type: types[verb],
    id: eventId(informer, verb, seen),
    subject: { namespace: namespace === '' ? undefined : namespace, kind, name, uid },
    data: {
      group,
      kind,
      uid,
      resourceVersion: seen.resourceVersion,
      specHash: seen.contentHash,
      ...(seen.generation === undefined ? {} : { generation: seen.generation }),
      ...(actorGuess === undefined ? {} : { actorGuess }),
      ...(late ? { late } : {}),
      ...(changes === undefined ? {} : { changes }),
      ...(seen.error === undefined ? {} : { error: seen.error }),
    },
    // A field manager is any client's free text: it must not read as an account.
    ...(actorGuess === undefined ? {} : { actor: { name: guessedActor(actorGuess), kind: 'controller' } }),
  }
  return { stream: `cluster/${group}/${kind}/${uid}`, event }
}

function fromRow(row: ObservedRow): Observation {
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
  }
}
