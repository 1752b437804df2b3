import type { Database } from '#core/database/database.ts'
import { lastPosition, readAfter, readEpoch, readPositions } from '#core/event-store/read-events.ts'
import type { EventFilter } from '#core/event-store/read-events.ts'
import { recentEventsOf } from '#core/event-store/recent-events.ts'
import type { StoredEvent } from '#core/event-store/event.ts'

/** The log for internal readers (relay, consumers): all namespaces, without a proof. Routes may not import it. */
export interface EventLog {
  readAfter(position: bigint, limit: number, filter?: EventFilter): Promise<readonly StoredEvent[]>
  readPositions(positions: readonly bigint[]): Promise<readonly StoredEvent[]>
  last(): Promise<bigint>
  epoch(): Promise<number>
}

/** Opens the log for internal readers. What this process has committed or read a moment ago comes from memory. */
export function createEventLog(database: Database): EventLog {
  const { db } = database
  const recent = recentEventsOf(database)
  return {
    readAfter: async (position, limit, filter) => recent.add(await readAfter(db, position, limit, filter)),
    readPositions: async (positions) => {
      const known = positions.flatMap((position) => recent.find(position) ?? [])
      if (known.length === positions.length) return known.toSorted((a, b) => (a.position < b.position ? -1 : 1))
      return recent.add(await readPositions(db, positions))
    },
    last: () => lastPosition(db),
    epoch: () => readEpoch(db),
  }
}
