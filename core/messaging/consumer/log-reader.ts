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

/** Opens the log for internal readers. What one of them reads is kept for the others of this process, which are about to read it as well. */
export function createEventLog(database: Database): EventLog {
  const { db } = database
  const recent = recentOf(database)
  return {
    readAfter: async (position, limit, filter) => recent.keep(await readAfter(db, position, limit, filter)),
    readPositions: async (positions) => {
      const known = positions.flatMap((position) => recent.find(position) ?? [])
      if (known.length === positions.length) return known.toSorted((a, b) => (a.position < b.position ? -1 : 1))
      return recent.keep(await readPositions(db, positions))
    },
    last: () => lastPosition(db),
    epoch: () => readEpoch(db),
    subscribe: () => database.appended.subscribe(),
  }
}

/** The events read last. One that is committed never changes, so that a copy is as good as its row. */
class RecentEvents {
  readonly #events = new Map<bigint, StoredEvent>()

  keep(events: readonly StoredEvent[]): readonly StoredEvent[] {
    for (const event of events) this.#events.set(event.position, event)
    for (const position of this.#events.keys()) {
      if (this.#events.size <= mostRecent) break
      this.#events.delete(position)
    }
    return events
  }

  find(position: bigint): StoredEvent | undefined {
    return this.#events.get(position)
  }
}

const mostRecent = 500
const recentEvents = new WeakMap<Database, RecentEvents>()

function recentOf(database: Database): RecentEvents {
  const known = recentEvents.get(database) ?? new RecentEvents()
  recentEvents.set(database, known)
  return known
}
