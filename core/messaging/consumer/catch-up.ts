import { sql } from 'kysely'
import type { Database } from '#core/database/database.ts'
import { readPositions } from '#core/event-store/read-events.ts'
import { raiseFloor, readFloor } from './checkpoint.ts'
import type { Consumer } from './consumer.ts'
import type { EventLog } from './log-reader.ts'
import type { StoredEvent } from '#core/event-store/event.ts'
import { inHandlerTransaction } from './handler-transaction.ts'
import type { HandlingOptions } from './handler-transaction.ts'
import { handleStream } from './ordered-delivery.ts'
import { handleUnordered } from './unordered-delivery.ts'

const pageSize = 500

/**
 * Handles every unhandled event above the consumer's low watermark, whatever the bus delivered or lost (O7), and raises the low watermark.
 * Returns whether everything is handled.
 */
export async function sweep(
  options: HandlingOptions,
  consumer: Consumer,
  log: EventLog,
  signal: AbortSignal,
): Promise<boolean> {
  // Read before the events; anything appended meanwhile is left for the next sweep.
  const head = await log.last()
  const start = await readFloor(options.database, consumer.name)
  const filter = consumer.types === 'all' ? {} : { types: consumer.types }
  let firstUndone: bigint | undefined
  let position = start
  while (!signal.aborted) {
    const page = await log.readAfter(position, pageSize, filter)
    const undone = await handlePage(options, consumer, page)
    firstUndone ??= undone
    position = page.at(-1)?.position ?? position
    if (page.length < pageSize) break
    if (firstUndone === undefined) await raiseFloor(options.database, consumer.name, position)
  }
  if (signal.aborted) return false
  const done = firstUndone === undefined ? (position > head ? position : head) : firstUndone - 1n
  await raiseFloor(options.database, consumer.name, done)
  return firstUndone === undefined
}

// Position of the first unhandled event of the page.
async function handlePage(
  options: HandlingOptions,
  consumer: Consumer,
  page: readonly StoredEvent[],
): Promise<bigint | undefined> {
  if (consumer.order === 'none') {
    const undone = await handleUnordered(options, consumer, await withoutDone(options.database, consumer.name, page))
    return page.find((event) => undone.has(event.id))?.position
  }
  const stuck = new Set<string>()
  for (const stream of await behind(options.database, consumer.name, page)) {
    if ((await handleStream(options, consumer, stream)) !== undefined) stuck.add(stream)
  }
  return page.find((event) => stuck.has(event.stream))?.position
}

async function withoutDone(
  database: Database,
  consumer: string,
  page: readonly StoredEvent[],
): Promise<readonly StoredEvent[]> {
  const ids = page.map((event) => event.id)
  const rows = await database.db
    .selectFrom('inbox')
    .select('event_id')
    .where('consumer', '=', consumer)
    .where('event_id', '=', sql<string>`any(${ids}::text[])`)
    .execute()
  const done = new Set(rows.map((row) => row.event_id))
  return page.filter((event) => !done.has(event.id))
}

// Streams of the page with a lagging cursor.
async function behind(database: Database, consumer: string, page: readonly StoredEvent[]): Promise<readonly string[]> {
  const newest = new Map(page.map((event) => [event.stream, event.version]))
  const streams = [...newest.keys()]
  const rows = await database.db
    .selectFrom('cursor')
    .select(['stream', 'version'])
    .where('name', '=', consumer)
    .where('stream', '=', sql<string>`any(${streams}::text[])`)
    .execute()
  const versions = new Map(rows.map((row) => [row.stream, row.version]))
  return streams.filter((stream) => (versions.get(stream) ?? 0) < (newest.get(stream) ?? 0))
}

/** Retries dead events marked by `redrive`; a failed one is dead again. */
export async function handleRedriven(options: HandlingOptions, consumer: Consumer): Promise<void> {
  const rows = await options.database.db
    .selectFrom('dead_letter')
    .select(['event_id', 'position'])
    .where('consumer', '=', consumer.name)
    .where('redrive', '=', true)
    .orderBy('position')
    .execute()
  for (const { event_id, position } of rows) await redriveOne(options, consumer, event_id, position)
}

async function redriveOne(options: HandlingOptions, consumer: Consumer, id: string, position: bigint): Promise<void> {
  const [event] = await readPositions(options.database.db, [position])
  const mine = (db: HandlingOptions['database']['db']) =>
    db.selectFrom('dead_letter').where('consumer', '=', consumer.name).where('event_id', '=', id)
  try {
    await inHandlerTransaction(options, consumer, async (db, run) => {
      const row = await mine(db).select('redrive').forUpdate().skipLocked().executeTakeFirst()
      if (row?.redrive !== true) return
      // An event dropped by retention can no longer be handled.
      if (event !== undefined) await run([event])
      await db.deleteFrom('dead_letter').where('consumer', '=', consumer.name).where('event_id', '=', id).execute()
    })
  } catch {
    await options.database.db
      .updateTable('dead_letter')
      .set({ redrive: false, attempts: sql`attempts + 1` })
      .where('consumer', '=', consumer.name)
      .where('event_id', '=', id)
      .execute()
    options.onDead(consumer.name)
  }
}
