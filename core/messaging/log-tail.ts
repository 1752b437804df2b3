import type { Database } from '#core/database/database.ts'
import type { StoredEvent } from '#core/event-store/event.ts'
import { readAfter } from '#core/event-store/read-events.ts'
import { recentEventsOf } from '#core/event-store/recent-events.ts'

/** The end of the log for one reader that continues from event to event. */
export interface LogTail {
  /** The events after a position without a gap, in commit order. Empty if there are none, or none that this reader can see yet. */
  read(position: bigint, limit: number): Promise<readonly StoredEvent[]>
  /** Resolves at the next append, after `timeoutMs`, or when the signal aborts. */
  wait(timeoutMs: number, signal: AbortSignal): Promise<void>
  stop(): Promise<void>
}

/**
 * Follows the log. Events that this process has committed come from memory while they are consecutive. The table is read at the start, at a
 * gap, after a notification of another process, and every `pollMs`, since notifications may be lost (O1).
 */
export function followLog(database: Database, pollMs: number): LogTail {
  const recent = recentEventsOf(database)
  const appended = database.appended.subscribe()
  const listening = database.listen('appended')
  let heard = -1
  let pollAt = 0
  return {
    read: async (position, limit) => {
      const direct = recent.after(position, limit)
      if (direct.length > 0) return direct
      const now = database.heard('appended')
      if (now === heard && recent.newest <= position && performance.now() < pollAt) return []
      const events = await readAfter(database.db, position, limit)
      recent.addRead(position, events)
      heard = now
      pollAt = performance.now() + pollMs
      return events
    },
    wait: (timeoutMs, signal) => appended.wait(Math.min(timeoutMs, Math.max(0, pollAt - performance.now())), signal),
    stop: () => listening.stop(),
  }
}
