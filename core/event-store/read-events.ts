import { sql } from 'kysely'
import type { StoredEvent } from './event.ts'
import { toStoredEvent } from './event-row.ts'
import type { CoreTables } from '#core/database/core-tables.ts'
import type { Reader } from './store.ts'

type Db = Reader<CoreTables>

/** Filter of a reader; an absent field matches all events. */
export interface EventFilter {
  readonly types?: readonly string[]
  readonly namespaces?: readonly string[]
}

/** Reads events of one stream after a version, in order. */
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

/** Reads at most `limit` events after a position, in commit order. No later event ever appears below one that was read (O2). */
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

/** Position of a consumer in a stream: after a version and above its low watermark, of its types only. */
export interface StreamPlace {
  readonly stream: string
  readonly version: number
  readonly lowWatermark: bigint
  readonly types: readonly string[] | 'all'
}

/** Reads the next events of a stream for a consumer, in version order. */
export async function readStreamOf(db: Db, place: StreamPlace, limit: number): Promise<readonly StoredEvent[]> {
  const { stream, version, lowWatermark, types } = place
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where('stream', '=', stream)
    .where('version', '>', version)
    .where('position', '>', lowWatermark)
    .$if(types !== 'all', (query) => query.where('type', '=', sql<string>`any(${types}::text[])`))
    .orderBy('version')
    .limit(limit)
    .execute()
  return rows.map(toStoredEvent)
}

/** Reads the events at these positions that are still retained, in commit order. */
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

/** Position of the newest event, 0 for an empty log. */
export async function lastPosition(db: Db): Promise<bigint> {
  const row = await db.selectFrom('events').select('position').orderBy('position', 'desc').limit(1).executeTakeFirst()
  return row?.position ?? 0n
}

/** Newest position assigned by the sequence; the log may be empty again. */
export async function newestPosition(db: Db): Promise<bigint> {
  const { rows } = await sql<{ position: bigint }>`select last_value as position from events_position`.execute(db)
  return rows[0]?.position ?? 0n
}

/** Epoch of the log, the first half of a CloudEvents `sequence`; a restore increments it. */
export async function readEpoch(db: Db): Promise<number> {
  const row = await db.selectFrom('event_epoch').select('epoch').executeTakeFirstOrThrow()
  return row.epoch
}
