import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { EventType, NewEvent } from '#core/events/event.ts'
import type { Informer } from '#core/host/work.ts'
import type { Store, Tx } from '#core/store/store.ts'
import { objectCreated, objectDeleted, objectUpdated } from './events.ts'
import { eventId, isNewer } from './observation.ts'
import type { Observation } from './observation.ts'
import type { ObservedTables } from './observed.ts'
import type { ToldObject } from './points.ts'

type ObservedTx = Tx<ObservedTables>
type Row = Selectable<ObservedTables['observed']>

// The hash of what nobody has read.
const UNREAD = ''

/** Compares what was seen with what is remembered, in one transaction with the events that follow from it. */
export async function rememberSeen(
  store: Store,
  informer: Informer,
  seen: readonly Observation[],
  late: boolean,
): Promise<void> {
  if (seen.length === 0) return
  await store.transact(async (tx: ObservedTx) => {
    // Rows are locked in the order of their uids, so that two replicas never wait for each other.
    const known = await lockRows(tx, seen.map((one) => one.uid).toSorted())
    for (const one of seen) {
      const verb = await compare(tx, informer, one, known.get(one.uid))
      if (verb !== undefined) await announce(tx, informer, { verb, seen: one, late })
    }
  })
}

async function compare(tx: ObservedTx, informer: Informer, seen: Observation, row: Row | undefined) {
  if (row === undefined) return (await insertRow(tx, informer, seen)) ? ('create' as const) : undefined
  // A watch that was far behind with what was declared departed: its changes are told all the same, its deletion has been.
  if (row.departed && row.content_hash === UNREAD) {
    await updateRow(tx, seen)
    return 'create' as const
  }
  // A uid never comes back, and an older version is a replay or another replica's news.
  if ((row.deleted_at !== null && !row.departed) || !isNewer(seen.resourceVersion, row.rv)) return undefined
  await updateRow(tx, seen)
  return row.content_hash === seen.contentHash ? undefined : ('update' as const)
}

/** Marks one object as deleted; one that was never seen alive gets its creation too, so that each row has both ends. */
export async function rememberDeleted(
  store: Store,
  informer: Informer,
  seen: Observation,
  late: boolean,
): Promise<void> {
  await store.transact(async (tx: ObservedTx) => {
    const row = (await lockRows(tx, [seen.uid])).get(seen.uid)
    if (row === undefined && (await insertRow(tx, informer, seen)))
      await announce(tx, informer, { verb: 'create', seen, late: true })
    if (await markDeleted(tx, seen.uid)) await announce(tx, informer, { verb: 'delete', seen, late })
  })
}

/** Notes an object that was never seen and is gone, with its deletion; false when an informer has seen it after all. */
export async function rememberDeparted(store: Store, informer: Informer, told: ToldObject): Promise<boolean> {
  const { uid, namespace, name, resourceVersion } = told
  const unread = { contentHash: UNREAD, generation: undefined, actorGuess: undefined, error: undefined }
  const seen: Observation = { uid, namespace, name, resourceVersion, ...unread }
  return store.transact(async (tx: ObservedTx) => {
    if (!(await insertRow(tx, informer, seen))) return false
    await markDeparted(tx, uid)
    // Its creation is not told: whoever told of the object has that already, or it is from before this installation.
    await announce(tx, informer, { verb: 'delete', seen, late: true })
    return true
  })
}

/** After a list: what is remembered alive, was not on it and is not newer than it, is gone; its events are late. */
export async function rememberMissing(
  store: Store,
  informer: Informer,
  present: ReadonlySet<string>,
  listVersion: string,
): Promise<void> {
  const alive = await store
    .reader<ObservedTables>()
    .selectFrom('observed')
    .selectAll()
    .where('kind', '=', informer.resourceKind)
    .where('deleted_at', 'is', null)
    .execute()
  for (const row of alive)
    if (!present.has(row.uid) && !isNewer(row.rv, listVersion))
      await rememberDeleted(store, informer, fromRow(row), true)
}

/** Whether the kind was followed before: then the first list of a process follows a gap. */
export async function wasObserved(store: Store, informer: Informer): Promise<boolean> {
  const row = await store
    .reader<ObservedTables>()
    .selectFrom('observed')
    .select('uid')
    .where('kind', '=', informer.resourceKind)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

async function lockRows(tx: ObservedTx, uids: readonly string[]): Promise<Map<string, Row>> {
  const rows = await tx.db
    .selectFrom('observed')
    .selectAll()
    .where('uid', 'in', uids)
    .orderBy('uid')
    .forUpdate()
    .execute()
  return new Map(rows.map((row) => [row.uid, row]))
}

// False when another replica inserted it a moment ago: the event is theirs.
async function insertRow(tx: ObservedTx, informer: Informer, seen: Observation): Promise<boolean> {
  const row = await tx.db
    .insertInto('observed')
    .values({
      uid: seen.uid,
      kind: informer.resourceKind,
      namespace: seen.namespace,
      name: seen.name,
      rv: seen.resourceVersion,
      content_hash: seen.contentHash,
      deleted_at: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('uid')
    .executeTakeFirst()
  return row !== undefined
}

async function updateRow(tx: ObservedTx, seen: Observation): Promise<void> {
  await tx.db
    .updateTable('observed')
    .set({ rv: seen.resourceVersion, content_hash: seen.contentHash })
    .where('uid', '=', seen.uid)
    .execute()
}

async function markDeleted(tx: ObservedTx, uid: string): Promise<boolean> {
  const row = await tx.db
    .updateTable('observed')
    .set({ deleted_at: sql<Date>`now()` })
    .where('uid', '=', uid)
    .where('deleted_at', 'is', null)
    .returning('uid')
    .executeTakeFirst()
  return row !== undefined
}

async function markDeparted(tx: ObservedTx, uid: string): Promise<void> {
  await tx.db
    .updateTable('observed')
    .set({ deleted_at: sql<Date>`now()`, departed: true })
    .where('uid', '=', uid)
    .execute()
}

const types = { create: objectCreated, update: objectUpdated, delete: objectDeleted } as const

async function announce(
  tx: ObservedTx,
  informer: Informer,
  change: { readonly verb: 'create' | 'update' | 'delete'; readonly seen: Observation; readonly late: boolean },
): Promise<void> {
  const { verb, seen, late } = change
  const { group } = informer.resource
  const type: EventType = types[verb]
  const event: NewEvent = {
    type,
    id: eventId(informer, verb, seen),
    subject: {
      namespace: seen.namespace === '' ? undefined : seen.namespace,
      kind: informer.resourceKind,
      name: seen.name,
      uid: seen.uid,
    },
    data: {
      group,
      kind: informer.resourceKind,
      uid: seen.uid,
      resourceVersion: seen.resourceVersion,
      specHash: seen.contentHash,
      ...(seen.generation === undefined ? {} : { generation: seen.generation }),
      ...(seen.actorGuess === undefined || verb === 'delete' ? {} : { actorGuess: seen.actorGuess }),
      ...(late ? { late } : {}),
      ...(seen.error === undefined ? {} : { error: seen.error }),
    },
    ...(seen.actorGuess === undefined || verb === 'delete' ? {} : { actor: { name: seen.actorGuess, kind: 'system' } }),
  }
  await tx.append(`cluster/${group}/${informer.resourceKind}/${seen.uid}`, 'any', [event])
}

function fromRow(row: Row): Observation {
  return {
    uid: row.uid,
    namespace: row.namespace,
    name: row.name,
    resourceVersion: row.rv,
    contentHash: row.content_hash,
    generation: undefined,
    actorGuess: undefined,
    error: undefined,
  }
}
