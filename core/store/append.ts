import type { Transaction } from 'kysely'
import { escapeLiteral } from 'pg'
import type { NewEvent } from '#core/events/event.ts'
import { currentTrace } from '#core/telemetry/trace-scope.ts'
import { formatTraceparent } from '#core/telemetry/tracing.ts'
import { withCommit } from './driver.ts'
import { toPlacedEvent, toRow } from './event-row.ts'
import type { PlacedEvent } from './event-row.ts'
import type { Projections } from './projections.ts'
import type { ExpectedVersion } from './store.ts'
import { advanceStream } from './streams.ts'
import type { CoreTables } from './tables.ts'
import { txWithTables } from './tables-view.ts'
import { uuidV7 } from './uuid-v7.ts'

type Db = Transaction<CoreTables>
type IdentifiedEvent = NewEvent & { readonly id: string }

/** The key of the advisory lock under which positions are taken. */
export const appendLock = 7_305_001

/** The events of one transaction: placed and projected at once, inserted with its COMMIT. */
export interface Appender {
  append(stream: string, expected: ExpectedVersion, events: readonly NewEvent[]): Promise<void>
  /** Inserts what was collected and commits; gives the seconds of waiting for the lock, undefined when there was nothing to do. */
  commit(): Promise<number | undefined>
}

/** Collects the events of one transaction. `check` throws for data that is not of its type's schema. */
export function createAppender(
  root: Transaction<unknown>,
  projections: Projections,
  check: (event: NewEvent) => void,
): Appender {
  const db = txWithTables<CoreTables>(root)
  const placed: PlacedEvent[] = []
  const keyed = new Set<string>()
  return {
    append: async (stream, expected, events) => {
      events.forEach(check)
      const fresh = await withoutKnown(db, events, keyed)
      if (fresh.length === 0) return
      const trace = currentTrace()
      const traceparent = trace === undefined ? undefined : formatTraceparent(trace)
      const last = await advanceStream(db, stream, expected, fresh.length)
      for (const [index, event] of fresh.entries()) {
        const one = toPlacedEvent(stream, last - fresh.length + 1 + index, withTrace(event, traceparent))
        placed.push(one)
        await projections.apply(one, root)
      }
    },
    commit: async () => {
      if (placed.length === 0) return undefined
      return insertAndCommit(db, placed, keyed.size > 0)
    },
  }
}

// What happens while a trace is under way is of that trace: a request, or the handling of an event that caused this one.
function withTrace(event: IdentifiedEvent, traceparent: string | undefined): IdentifiedEvent {
  return traceparent === undefined || event.traceparent !== undefined ? event : { ...event, traceparent }
}

// Events with a given id are appended once, however often they come (A4); the key's row makes a concurrent twin wait for us.
async function withoutKnown(db: Db, events: readonly NewEvent[], keyed: Set<string>): Promise<IdentifiedEvent[]> {
  const given = [...new Set(events.flatMap((event) => (event.id === undefined ? [] : [event.id])))].toSorted()
  const fresh = new Set(given.length === 0 ? [] : await claimKeys(db, given))
  for (const id of fresh) keyed.add(id)
  return events.flatMap((event) => {
    if (event.id === undefined) return [{ ...event, id: uuidV7() }]
    return fresh.delete(event.id) ? [{ ...event, id: event.id }] : []
  })
}

async function claimKeys(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await db
    .insertInto('event_keys')
    .values(ids.map((event_id) => ({ event_id, position: null })))
    .onConflict((conflict) => conflict.doNothing())
    .returning('event_id')
    .execute()
  return rows.map((row) => row.event_id)
}

/**
 * One statement takes the lock and then the positions: position is commit order (O2). COMMIT goes with it, so that nobody waits for
 * the lock while this process is slow, frozen or far away.
 */
async function insertAndCommit(db: Db, events: readonly PlacedEvent[], keyed: boolean): Promise<number> {
  const rows = escapeLiteral(JSON.stringify(events.map(toRow)))
  const insert = `select append_events(${appendLock}, ${rows}, ${keyed}) as waited`
  const answer = await db.executeQuery<{ waited: number }>(withCommit(insert))
  return answer.rows[0]?.waited ?? 0
}
