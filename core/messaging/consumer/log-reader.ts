import type { Database } from '#core/database/database.ts'
import { lastPosition, readAfter, readEpoch, readPositions } from '#core/event-store/read-events.ts'
import type { EventFilter } from '#core/event-store/read-events.ts'
import type { Signal } from '#core/async/signal.ts'
import type { StoredEvent } from '#core/event-store/event.ts'

/** The log for internal readers (relay, consumers): all namespaces, without a proof. Routes may not import it. */
export interface EventLog {
  readAfter(position: bigint, limit: number, filter?: EventFilter): Promise<readonly StoredEvent[]>
  readPositions(positions: readonly bigint[]): Promise<readonly StoredEvent[]>
  last(): Promise<bigint>
  epoch(): Promise<number>
  /** A signal of every append of this process, and of other processes while the database listens. */
  subscribe(): Signal
}

/** Opens the log for internal readers. */
export function createEventLog(database: Database): EventLog {
  const { db } = database
  return {
    readAfter: (position, limit, filter) => readAfter(db, position, limit, filter),
    readPositions: (positions) => readPositions(db, positions),
    last: () => lastPosition(db),
    epoch: () => readEpoch(db),
    subscribe: () => database.appended.subscribe(),
  }
}
