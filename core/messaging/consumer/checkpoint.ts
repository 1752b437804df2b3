import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import type { Database } from '#core/database/database.ts'
import { lastPosition } from '#core/event-store/read-events.ts'
import type { CoreTables } from '#core/database/core-tables.ts'
import type { Consumer } from './consumer.ts'

// Low watermark of a consumer, stored as the row of stream '*': every event at or below it is handled.
const floorStream = '*'

/** Sets the low watermark of a new consumer: before the first event, or at the newest. An existing consumer keeps its own. */
export async function registerConsumer(database: Database, consumer: Consumer): Promise<void> {
  const position = consumer.from === 'start' ? 0n : await lastPosition(database.db)
  await database.db
    .insertInto('cursor')
    .values({ name: consumer.name, stream: floorStream, position })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Low watermark of a consumer. */
export async function readFloor(database: Database, consumer: string): Promise<bigint> {
  return (await floorOf(database.db, consumer)) ?? 0n
}

/** Reads the low watermark and locks it until COMMIT: `raiseFloor` locks the row FOR UPDATE, concurrent handlers hold it FOR KEY SHARE. */
export async function holdLowWatermark(db: Transaction<CoreTables>, consumer: string): Promise<bigint> {
  const { rows } = await sql<{ position: bigint }>`
    select position from cursor where name = ${consumer} and stream = ${floorStream} for key share`.execute(db)
  return rows[0]?.position ?? 0n
}

/** Raises the low watermark and deletes what was recorded of events at or below it, so that inbox and cursors stay small. */
export async function raiseFloor(database: Database, consumer: string, position: bigint): Promise<void> {
  await database.db.transaction().execute(async (db) => {
    // Waits for handlers, since one that read the old value still needs its inbox rows.
    const row = await db
      .selectFrom('cursor')
      .select('position')
      .where('name', '=', consumer)
      .where('stream', '=', floorStream)
      .forUpdate()
      .executeTakeFirst()
    if (row === undefined || row.position >= position) return
    await db
      .updateTable('cursor')
      .set({ position })
      .where('name', '=', consumer)
      .where('stream', '=', floorStream)
      .execute()
    await db.deleteFrom('inbox').where('consumer', '=', consumer).where('position', '<=', position).execute()
    await db
      .deleteFrom('cursor')
      .where('name', '=', consumer)
      .where('stream', '!=', floorStream)
      .where('position', '<=', position)
      .execute()
  })
}

/**
 * Locks a consumer's cursor of one stream and returns its version: one handler per stream at a time, on any replica. The low watermark must
 * be locked already, so that no clean-up deletes the row between its insert and its lock.
 */
export async function lockStreamCursor(db: Transaction<CoreTables>, consumer: string, stream: string): Promise<number> {
  await db
    .insertInto('cursor')
    .values({ name: consumer, stream, position: 0n })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const row = await db
    .selectFrom('cursor')
    .select('version')
    .where('name', '=', consumer)
    .where('stream', '=', stream)
    .forUpdate()
    .executeTakeFirstOrThrow()
  return row.version
}

/** Moves the cursor of a stream past an event. */
export async function advanceStreamCursor(
  db: Transaction<CoreTables>,
  at: { readonly consumer: string; readonly stream: string },
  version: number,
  position: bigint,
): Promise<void> {
  await db
    .updateTable('cursor')
    .set({ version, position })
    .where('name', '=', at.consumer)
    .where('stream', '=', at.stream)
    .execute()
}

async function floorOf(db: Database['db'], consumer: string): Promise<bigint | undefined> {
  const row = await db
    .selectFrom('cursor')
    .select('position')
    .where('name', '=', consumer)
    .where('stream', '=', floorStream)
    .executeTakeFirst()
  return row?.position
}
