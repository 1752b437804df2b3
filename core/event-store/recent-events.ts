import type { Database } from '#core/database/database.ts'
import type { StoredEvent } from './event.ts'
import type { CommittedEvents } from './append.ts'
import { toCommittedEvent } from './event-row.ts'

const most = 1_000

/**
 * The newest events that this process committed or read. A committed event never changes, so that a copy is as good as its row. Each is
 * chained to the position before it, which is known from the append lock or from a read without a filter. So a chain has no gap (ADR 0073).
 */
export class RecentEvents {
  readonly #events = new Map<bigint, StoredEvent>()
  readonly #next = new Map<bigint, bigint>()
  #newest = 0n

  /** Highest position that is known to be committed. */
  get newest(): bigint {
    return this.#newest
  }

  /** Adds the events of a commit. Positions that are not contiguous are left to readers of the log. */
  addCommitted({ events, before, last }: CommittedEvents): void {
    if (last - before === BigInt(events.length))
      this.addRead(
        before,
        events.map((event, index) => toCommittedEvent(event, before + BigInt(index + 1))),
      )
    else this.#note(last)
  }

  /** Adds all events of the log after a position, in order. */
  addRead(after: bigint, events: readonly StoredEvent[]): void {
    let before = after
    for (const event of events) {
      this.#next.set(before, event.position)
      before = event.position
    }
    this.add(events)
  }

  /** Adds events between which there may be others. */
  add(events: readonly StoredEvent[]): readonly StoredEvent[] {
    for (const event of events) {
      this.#events.set(event.position, event)
      this.#note(event.position)
    }
    evict(this.#events)
    evict(this.#next)
    return events
  }

  find(position: bigint): StoredEvent | undefined {
    return this.#events.get(position)
  }

  /** The events that follow a position without a gap, as far as they are known. */
  after(position: bigint, limit: number): readonly StoredEvent[] {
    const found: StoredEvent[] = []
    for (let at = position; found.length < limit;) {
      const next = this.#next.get(at)
      const event = next === undefined ? undefined : this.#events.get(next)
      if (event === undefined) break
      found.push(event)
      at = event.position
    }
    return found
  }

  #note(position: bigint): void {
    if (position > this.#newest) this.#newest = position
  }
}

// A map keeps the order of insertion.
function evict(map: Map<bigint, unknown>): void {
  for (const key of map.keys()) {
    if (map.size <= most) return
    map.delete(key)
  }
}

const recentEvents = new WeakMap<object, RecentEvents>()

/**
 * The recent events of a database, shared by its writers and readers in this process. Each role writes through its own handle: with a
 * copy per handle the relay would learn of their commits from its safety net only.
 */
export function recentEventsOf({ identity }: Pick<Database, 'identity'>): RecentEvents {
  const known = recentEvents.get(identity) ?? new RecentEvents()
  recentEvents.set(identity, known)
  return known
}
