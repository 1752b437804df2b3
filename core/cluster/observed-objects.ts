import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { defineStatement } from '#core/database/statement.ts'
import type { Placeholders } from '#core/database/statement.ts'
import type { Store } from '#core/event-store/store.ts'
import type { IndexedFields, ObjectIndexTables } from './object-index-tables.ts'
import { everyNamespace } from './served-namespaces.ts'

/** An object as last observed by the manager. */
export interface ObservedObject {
  readonly uid: string
  readonly kind: string
  readonly namespace: string
  /** Uid of its namespace, if that was observed as well. */
  readonly namespaceUid?: string | undefined
  readonly name: string
  readonly resourceVersion: string
  /** Fields of its spec that its kind declares as `indexed`; undefined if the manager has not read them. */
  readonly spec?: IndexedFields | undefined
}

/** Reads of the object index: from names to uids without any privileged read of the cluster. */
export interface ObservedReads {
  /** Finds the live object with that name. Waits at most `waitMs` for one created a moment ago. */
  find(kind: string, namespace: string, name: string, waitMs?: number): Promise<ObservedObject | undefined>
  /** Uid of a namespace, or undefined. */
  namespaceUid(namespace: string, waitMs?: number): Promise<string | undefined>
}

// The manager observes a new object some milliseconds after it was created.
const POLL_MS = 25

/**
 * Reads of the object index: from names to uids without any privileged read of the cluster. Rows of namespaces that are no longer served stay,
 * and are not found: whether their objects exist is not known.
 */
export function createObserved(store: Store, served = everyNamespace): ObservedReads {
  const find = async (kind: string, namespace: string, name: string, waitMs = 0): Promise<ObservedObject | undefined> =>
    served.has(kind === 'Namespace' ? name : namespace)
      ? within(waitMs, () => findLive(store, kind, namespace, name))
      : undefined
  return {
    find,
    namespaceUid: async (namespace, waitMs = 0) => (await find('Namespace', '', namespace, waitMs))?.uid,
  }
}

async function findLive(
  store: Store,
  kind: string,
  namespace: string,
  name: string,
): Promise<ObservedObject | undefined> {
  const row = await selectLive.first(store.reader<ObjectIndexTables>(), { kind, namespace, name })
  if (row === undefined) return undefined
  const { uid, rv: resourceVersion, namespace_uid: namespaceUid, spec } = row
  return {
    uid,
    kind,
    namespace,
    namespaceUid: namespaceUid ?? undefined,
    name,
    resourceVersion,
    spec: spec ?? undefined,
  }
}

interface ObjectName {
  kind: string
  namespace: string
  name: string
}

const selectLive = defineStatement((db: Kysely<ObjectIndexTables>, p: Placeholders<ObjectName>) =>
  newestNamed(db, p).select([
    'uid',
    'rv',
    'spec',
    newestNamed(db, { kind: sql.lit('Namespace'), namespace: sql.lit(''), name: p.namespace })
      .select('uid')
      .as('namespace_uid'),
  ]),
)

// A re-created object may be observed before the deletion of the old one; the newer version is live.
function newestNamed(db: Kysely<ObjectIndexTables>, { kind, namespace, name }: Placeholders<ObjectName>) {
  return db
    .selectFrom('object_index')
    .where('kind', '=', kind)
    .where('namespace', '=', namespace)
    .where('name', '=', name)
    .where('deleted_at', 'is', null)
    .orderBy((eb) => eb.fn('length', ['rv']), 'desc')
    .orderBy('rv', 'desc')
    .limit(1)
}

async function within<T>(waitMs: number, look: () => Promise<T | undefined>): Promise<T | undefined> {
  const end = performance.now() + waitMs
  for (;;) {
    const found = await look()
    const left = end - performance.now()
    if (found !== undefined || left <= 0) return found
    await sleep(Math.min(POLL_MS, left))
  }
}
