import type { Kysely, Transaction } from 'kysely'
import type { Database } from '#core/database/database.ts'
import { defineStatement } from '#core/database/statement.ts'
import type { Placeholders } from '#core/database/statement.ts'
import { lastPosition } from '#core/event-store/read-events.ts'
import type { CoreTables } from '#core/database/core-tables.ts'
import type { Consumer } from './consumer.ts'

/** Stream of the row that stores the low watermark of a consumer: every event at or below it is handled. */
export const lowWatermarkStream = '*'

/** Sets the low watermark of a new consumer: before the first event, or at the newest. An existing consumer keeps its own. */
export async function registerConsumer(database: Database, consumer: Consumer): Promise<void> {
  const position = consumer.from === 'start' ? 0n : await lastPosition(database.db)
  await database.db
    .insertInto('cursor')
    .values({ name: consumer.name, stream: lowWatermarkStream, position })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Low watermark of a consumer. */
export async function readFloor(database: Database, consumer: string): Promise<bigint> {
  return (await floorOf(database.db, consumer)) ?? 0n
}

/** Reads the low watermark and locks it until COMMIT: `raiseFloor` locks the row FOR UPDATE, concurrent handlers hold it FOR KEY SHARE. */
export async function holdLowWatermark(db: Transaction<CoreTables>, consumer: string): Promise<bigint> {
  return (await lowWatermark.first(db, { consumer }))?.position ?? 0n
}

const lowWatermark = defineStatement((db: Kysely<CoreTables>, p: Placeholders<{ consumer: string }>) =>
  db
    .selectFrom('cursor')
    .select('position')
    .where('name', '=', p.consumer)
    .where('stream', '=', lowWatermarkStream)
    .forKeyShare(),
)

/** Raises the low watermark and deletes what was recorded of events at or below it, so that inbox and cursors stay small. */
export async function raiseFloor(database: Database, consumer: string, position: bigint): Promise<void> {
  await database.db.transaction().execute(async (db) => {
    // Waits for handlers, since one that read the old value still needs its inbox rows.
    const row = await db
      .selectFrom('cursor')
      .select('position')
      .where('name', '=', consumer)
      .where('stream', '=', lowWatermarkStream)
      .forUpdate()
      .executeTakeFirst()
    if (row === undefined || row.position >= position) return
    await db
      .updateTable('cursor')
      .set({ position })
      .where('name', '=', consumer)
      .where('stream', '=', lowWatermarkStream)
      .execute()
    await db.deleteFrom('inbox').where('consumer', '=', consumer).where('position', '<=', position).execute()
    await db
      .deleteFrom('cursor')
      .where('name', '=', consumer)
      .where('stream', '!=', lowWatermarkStream)
      .where('position', '<=', position)
      .execute()
  })
}

/**
 * Locks a consumer's cursor of one stream and returns its version: one handler per stream at a time, on any replica. The low watermark must
 * be locked before, or in the same message: no clean-up then deletes the row between its insert and its lock.
 */
export async function lockStreamCursor(db: Transaction<CoreTables>, consumer: string, stream: string): Promise<number> {
  await insertStreamCursor.defer(db, { consumer, stream })
  const row = await lockedCursor.first(db, { consumer, stream })
  if (row === undefined) throw new TypeError('a cursor was expected')
  return row.version
}

interface CursorKey {
  consumer: string
  stream: string
}

const insertStreamCursor = defineStatement((db: Kysely<CoreTables>, p: Placeholders<CursorKey>) =>
  db
    .insertInto('cursor')
    .values({ name: p.consumer, stream: p.stream, position: 0n })
    .onConflict((conflict) => conflict.doNothing()),
)
const lockedCursor = defineStatement((db: Kysely<CoreTables>, p: Placeholders<CursorKey>) =>
  db.selectFrom('cursor').select('version').where('name', '=', p.consumer).where('stream', '=', p.stream).forUpdate(),
)
const moveCursor = defineStatement(
  (db: Kysely<CoreTables>, p: Placeholders<CursorKey & { version: number; position: bigint }>) =>
    db
      .updateTable('cursor')
      .set({ version: p.version, position: p.position })
      .where('name', '=', p.consumer)
      .where('stream', '=', p.stream),
)

/** Moves the cursor of a stream past an event. */
export async function advanceStreamCursor(
  db: Transaction<CoreTables>,
  at: { readonly consumer: string; readonly stream: string },
  version: number,
  position: bigint,
): Promise<void> {
  await moveCursor.defer(db, { ...at, version, position })
}

async function floorOf(db: Database['db'], consumer: string): Promise<bigint | undefined> {
  const row = await db
    .selectFrom('cursor')
    .select('position')
    .where('name', '=', consumer)
    .where('stream', '=', lowWatermarkStream)
    .executeTakeFirst()
  return row?.position
}
