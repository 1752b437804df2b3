import { sql } from 'kysely'
import type { Kysely, Transaction } from 'kysely'
import { defineStatement } from '#core/database/statement.ts'
import type { Placeholders } from '#core/database/statement.ts'
import type { CoreTables } from '#core/database/core-tables.ts'
import type { Consumer } from './consumer.ts'
import { isTransient, recordFailedAttempt } from './failed-attempts.ts'
import type { StoredEvent } from '#core/event-store/event.ts'
import { inHandlerTransaction } from './handler-transaction.ts'
import type { HandlingOptions } from './handler-transaction.ts'

/** Number of attempts of each unhandled event; handled ones are absent. */
export type UnhandledEvents = ReadonlyMap<string, number>

/**
 * Order `none`: inbox rows and effect of a whole batch commit together, so each event has its effect once. A failing batch is split into
 * its events, so that one poison event does not block the others (A5).
 */
export async function handleUnordered(
  options: HandlingOptions,
  consumer: Consumer,
  events: readonly StoredEvent[],
): Promise<UnhandledEvents> {
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
    const claimed = await claim(db, consumer.name, events, true)
    if (claimed.length > 0) await run(claimed)
  })
}

// `isDone`: failed attempts of the events are forgotten, if the transaction commits.
async function claim(
  db: Transaction<CoreTables>,
  consumer: string,
  events: readonly StoredEvent[],
  isDone: boolean,
): Promise<readonly StoredEvent[]> {
  const ids = events.map((event) => event.id)
  const positions = events.map((event) => event.position)
  const row = await claimEvents.first(db, { consumer, ids, positions, isDone })
  const fresh = new Set(row?.claimed)
  return events.filter((event) => fresh.has(event.id))
}

interface Claim {
  consumer: string
  ids: readonly string[]
  positions: readonly bigint[]
  isDone: boolean
}

const claimEvents = defineStatement((db: Kysely<CoreTables>, p: Placeholders<Claim>) =>
  db.selectNoFrom(
    sql<readonly string[]>`claim_events(${p.consumer}, ${p.ids}, ${p.positions}, ${p.isDone})`.as('claimed'),
  ),
)

async function giveUpOrRetry(
  options: HandlingOptions,
  consumer: Consumer,
  events: readonly StoredEvent[],
  error: unknown,
): Promise<UnhandledEvents> {
  const [event] = events
  if (event === undefined) return new Map()
  const { attempts, dead } = await options.database.db.transaction().execute(async (db) => {
    const outcome = await recordFailedAttempt(db, consumer.name, event, { error, most: options.maxAttempts })
    if (outcome.dead) await claim(db, consumer.name, events, false)
    return outcome
  })
  if (!dead) return new Map([[event.id, attempts]])
  options.onDead(consumer.name)
  return new Map()
}
