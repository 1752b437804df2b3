import type { Transaction } from 'kysely'
import type { CoreTables } from '#core/database/core-tables.ts'
import { readStreamOf } from '#core/event-store/read-events.ts'
import { advanceStreamCursor, holdLowWatermark, lockStreamCursor } from './checkpoint.ts'
import type { Consumer } from './consumer.ts'
import { clearFailures, isTransient, recordFailedAttempt } from './failed-attempts.ts'
import type { StoredEvent } from '#core/event-store/event.ts'
import { inHandlerTransaction } from './handler-transaction.ts'
import type { HandlingOptions } from './handler-transaction.ts'

const pageSize = 500

/**
 * Order `stream`: a message is a hint. One transaction locks the consumer's cursor of the stream, reads its new versions from the log,
 * handles them in order and moves the cursor (O4). Returns the attempts of the event that fails, if any.
 */
export async function handleStream(
  options: HandlingOptions,
  consumer: Consumer,
  stream: string,
): Promise<number | undefined> {
  let limit = pageSize
  while (true) {
    let first: StoredEvent | undefined
    try {
      const handled = await inHandlerTransaction(options, consumer, async (db, run) => {
        const events = await lockAndRead(db, consumer, stream, limit)
        first = events[0]
        if (events.length === 0) return 0
        await run(events)
        await clearFailures(db, consumer.name, events)
        await moveBehind(db, consumer, events)
        return events.length
      })
      if (handled < limit) return undefined
      limit = pageSize
    } catch (error) {
      if (isTransient(error) || first === undefined) return 0
      // Continues one by one to find the failing event; those before it are handled.
      if (limit > 1) limit = 1
      else {
        const attempts = await giveUpOrRetry(options, consumer, first, error)
        if (attempts !== undefined) return attempts
        limit = pageSize
      }
    }
  }
}

// Low watermark before cursor, as in `raiseFloor`: the reverse order has deadlocked with it.
async function lockAndRead(
  db: Transaction<CoreTables>,
  consumer: Consumer,
  stream: string,
  limit: number,
): Promise<readonly StoredEvent[]> {
  const [lowWatermark, version] = await Promise.all([
    holdLowWatermark(db, consumer.name),
    lockStreamCursor(db, consumer.name, stream),
  ])
  return readStreamOf(db, { stream, version, lowWatermark, types: consumer.types }, limit)
}

async function moveBehind(
  db: Transaction<CoreTables>,
  consumer: Consumer,
  events: readonly StoredEvent[],
): Promise<void> {
  const last = events.at(-1)
  if (last === undefined) return
  const at = { consumer: consumer.name, stream: last.stream }
  await advanceStreamCursor(db, at, last.version, last.position)
}

// Undefined: the event is dead and the stream continues after it (A5).
async function giveUpOrRetry(
  options: HandlingOptions,
  consumer: Consumer,
  event: StoredEvent,
  error: unknown,
): Promise<number | undefined> {
  const outcome = await options.database.db.transaction().execute(async (db) => {
    const lowWatermark = await holdLowWatermark(db, consumer.name)
    const version = await lockStreamCursor(db, consumer.name, event.stream)
    // Another replica may have advanced meanwhile; then the attempt is not counted.
    if (version >= event.version || lowWatermark >= event.position) return { attempts: 0, dead: false }
    const failure = await recordFailedAttempt(db, consumer.name, event, { error, most: options.maxAttempts })
    if (failure.dead) await moveBehind(db, consumer, [event])
    return failure
  })
  if (!outcome.dead) return outcome.attempts
  options.onDead(consumer.name)
  return undefined
}
