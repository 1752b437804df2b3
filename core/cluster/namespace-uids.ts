import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import type { NamespaceUids } from '#core/event-store/store.ts'

/**
 * Looks up uids of namespaces for events without one. An event of a known object gets the uid of the object's first event, since a late
 * deletion belongs to its original namespace. Otherwise it gets that of the newest namespace observed under the name, deleted or not. An event
 * of a namespace being removed must not reach its successor (SEC17).
 */
export const namespaceUids: NamespaceUids = async (db, entries) => {
  const streams = await uidsOfStreams(db, [...new Set(entries.map(({ stream }) => stream))])
  const rest = entries.filter(({ stream }) => !streams.has(stream))
  const names = await uidsOfNames(db, [...new Set(rest.map(({ namespace }) => namespace))])
  return entries.map(({ stream, namespace }) => streams.get(stream) ?? names.get(namespace))
}

async function uidsOfStreams(
  db: Transaction<unknown>,
  streams: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const ofObjects = streams.filter((stream) => stream.startsWith('cluster/'))
  if (ofObjects.length === 0) return new Map()
  const { rows } = await sql<{ stream: string; uid: string }>`
    select distinct on (stream) stream, namespace_uid as uid from events
    where stream = any(${ofObjects}::text[]) and namespace_uid is not null
    order by stream, version`.execute(db)
  return new Map(rows.map(({ stream, uid }) => [stream, uid]))
}

async function uidsOfNames(db: Transaction<unknown>, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (names.length === 0) return new Map()
  const live = await newestOf(db, names, sql`deleted_at is null`)
  // This query uses no index, so it runs only for names without a live namespace.
  const gone = names.filter((name) => !live.has(name))
  return gone.length === 0 ? live : new Map([...live, ...(await newestOf(db, gone, sql`true`))])
}

async function newestOf(
  db: Transaction<unknown>,
  names: readonly string[],
  which: ReturnType<typeof sql>,
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ name: string; uid: string }>`
    select distinct on (name) name, uid from object_index
    where kind = 'Namespace' and namespace = '' and name = any(${names}::text[]) and ${which}
    order by name, length(rv) desc, rv desc`.execute(db)
  return new Map(rows.map(({ name, uid }) => [name, uid]))
}
