import { sql } from 'kysely'
import type { Kysely, Transaction } from 'kysely'
import { defineStatement } from '#core/database/statement.ts'
import type { Placeholders } from '#core/database/statement.ts'
import type { CoreTables } from '#core/database/core-tables.ts'
import { holdLowWatermark, lowWatermarkStream } from './checkpoint.ts'
import type { Consumer } from './consumer.ts'
import { clearFailures, isTransient, recordFailedAttempt } from './failed-attempts.ts'
import type { StoredEvent } from '#core/event-store/event.ts'
import { inHandlerTransaction } from './handler-transaction.ts'
import type { HandlingOptions } from './handler-transaction.ts'

/** Number of attempts of each unhandled event; handled ones are absent. */
export type Undone = ReadonlyMap<string, number>

/**
 * Order `none`: inbox rows and effect of a whole batch commit together, so each event has its effect once. A failing batch is split into
 * its events, so that one poison event does not block the others (A5).
 */
export async function handleUnordered(
  options: HandlingOptions,
  consumer: Consumer,
  events: readonly StoredEvent[],
): Promise<Undone> {
  if (events.length === 0) return new Map()
  try {
    await handleOnce(options, consumer, events)
    return new Map()
  } catch (error) {
    if (isTransient(error)) return new Map(events.map((event) => [event.id, 0]))
    if (events.length === 1) return giveUpOrRetry(options, consumer, events, error)
  }
  const undone = new Map<string, number>()
  for (const event of events) {
    for (const [id, attempts] of await handleUnordered(options, consumer, [event])) undone.set(id, attempts)
  }
  return undone
}

async function handleOnce(options: HandlingOptions, consumer: Consumer, events: readonly StoredEvent[]): Promise<void> {
  await inHandlerTransaction(options, consumer, async (db, run) => {
    const claimed = await claim(db, consumer.name, events)
    if (claimed.length === 0) return
    await run(claimed)
    await clearFailures(db, consumer.name, claimed)
  })
}

// The low watermark is locked first: raising it deletes inbox rows, after which only its new value shows that they were handled.
async function claim(
  db: Transaction<CoreTables>,
  consumer: string,
  events: readonly StoredEvent[],
): Promise<readonly StoredEvent[]> {
  const ids = events.map((event) => event.id)
  const positions = events.map((event) => event.position)
  const [, rows] = await Promise.all([
    holdLowWatermark(db, consumer),
    insertInbox.all(db, { consumer, ids, positions, lowWatermark: lowWatermarkStream }),
  ])
  const fresh = new Set(rows.map((row) => row.event_id))
  return events.filter((event) => fresh.has(event.id))
}

interface Claim {
  consumer: string
  ids: readonly string[]
  positions: readonly bigint[]
  lowWatermark: string
}

// Sorted by id, so that two replicas with overlapping batches lock in the same order.
const insertInbox = defineStatement((db: Kysely<CoreTables>, p: Placeholders<Claim>) =>
  db
    .insertInto('inbox')
    .columns(['consumer', 'event_id', 'position'])
    .expression(
      sql`select ${p.consumer}, e.id, e.position from unnest(${p.ids}::text[], ${p.positions}::bigint[]) as e (id, position)
        where e.position > coalesce((select position from cursor where name = ${p.consumer} and stream = ${p.lowWatermark}), 0)
        order by e.id`,
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning('event_id'),
)

async function giveUpOrRetry(
  options: HandlingOptions,
  consumer: Consumer,
  events: readonly StoredEvent[],
  error: unknown,
): Promise<Undone> {
  const [event] = events
  if (event === undefined) return new Map()
  const { attempts, dead } = await options.database.db.transaction().execute(async (db) => {
    const outcome = await recordFailedAttempt(db, consumer.name, event, { error, most: options.maxAttempts })
    if (outcome.dead) await claim(db, consumer.name, events)
    return outcome
  })
  if (!dead) return new Map([[event.id, attempts]])
  options.onDead(consumer.name)
  return new Map()
}
