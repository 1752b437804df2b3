import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { StoredEvent } from './event.ts'
import { toStoredEvent } from './event-row.ts'
import type { CoreTables } from '#core/database/core-tables.ts'

type Db = Kysely<CoreTables>

/** Which events a reader wants; absent: all. */
export interface EventFilter {
  readonly types?: readonly string[]
  readonly namespaces?: readonly string[]
}

/** Events of one stream after a version, in order. */
export async function readStream(db: Db, stream: string, after = 0): Promise<readonly StoredEvent[]> {
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where('stream', '=', stream)
    .where('version', '>', after)
    .orderBy('version')
    .execute()
  return rows.map(toStoredEvent)
}

/** Events after a position in commit order, at most `limit`. No event ever appears later below one that was read (O2). */
export async function readAfter(
  db: Db,
  position: bigint,
  limit: number,
  filter: EventFilter = {},
): Promise<readonly StoredEvent[]> {
  const { types, namespaces } = filter
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where('position', '>', position)
    .$if(types !== undefined, (query) => query.where('type', '=', sql<string>`any(${types ?? []}::text[])`))
    .$if(namespaces !== undefined, (query) =>
      query.where('namespace', '=', sql<string>`any(${namespaces ?? []}::text[])`),
    )
    .orderBy('position')
    .limit(limit)
    .execute()
  return rows.map(toStoredEvent)
}

/** A place in a stream from which a consumer reads on: behind a version and above its floor, of its types only. */
export interface StreamPlace {
  readonly stream: string
  readonly version: number
  readonly floor: bigint
  readonly types: readonly string[] | 'all'
}

/** The next events of a stream for a consumer, in version order. */
export async function readStreamOf(db: Db, place: StreamPlace, limit: number): Promise<readonly StoredEvent[]> {
  const { stream, version, floor, types } = place
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where('stream', '=', stream)
    .where('version', '>', version)
    .where('position', '>', floor)
    .$if(types !== 'all', (query) => query.where('type', '=', sql<string>`any(${types}::text[])`))
    .orderBy('version')
    .limit(limit)
    .execute()
  return rows.map(toStoredEvent)
}

/** The events at these positions that are still kept, in commit order. */
export async function readPositions(db: Db, positions: readonly bigint[]): Promise<readonly StoredEvent[]> {
  if (positions.length === 0) return []
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where('position', '=', sql<bigint>`any(${positions}::bigint[])`)
    .orderBy('position')
    .execute()
  return rows.map(toStoredEvent)
}

/** The position of the newest event, 0 when there is none. */
export async function lastPosition(db: Db): Promise<bigint> {
  const row = await db.selectFrom('events').select('position').orderBy('position', 'desc').limit(1).executeTakeFirst()
  return row?.position ?? 0n
}

/** The newest position that was given out, by the sequence: the log may be empty again. */
export async function newestPosition(db: Db): Promise<bigint> {
  const { rows } = await sql<{ position: bigint }>`select last_value as position from events_position`.execute(db)
  return rows[0]?.position ?? 0n
}

/** The epoch of the log, the first half of a CloudEvents `sequence`; a restore raises it. */
export async function readEpoch(db: Db): Promise<number> {
  const row = await db.selectFrom('event_epoch').select('epoch').executeTakeFirstOrThrow()
  return row.epoch
}
