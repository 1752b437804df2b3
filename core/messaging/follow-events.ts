import { backoffMs } from '#core/async/backoff.ts'
import { sleep } from '#core/async/sleep.ts'
import type { Database } from '#core/database/database.ts'
import type { StoredEvent } from '#core/event-store/event.ts'
import { lastPosition, readAfter } from '#core/event-store/read-events.ts'

/** Events of some types that are appended from now on. */
export interface EventFollower {
  readonly types: readonly string[]
  /** Gets events in commit order. A page is passed again after an error, at most five times. */
  handle(events: readonly StoredEvent[]): Promise<void>
  onError(error: unknown): void
}

const pageSize = 500
const mostAttempts = 5
const pollMs = 5_000
const pauses = { minMs: 50, maxMs: 5_000 }

/**
 * Follows the log without a cursor, for work that repeats everything at its start. Events from before the call are not passed. Resolves when the signal
 * has aborted.
 */
export async function followEvents(
  database: Pick<Database, 'db' | 'appended' | 'listen'>,
  follower: EventFollower,
  signal: AbortSignal,
): Promise<void> {
  const appended = database.appended.subscribe()
  const listening = database.listen('appended')
  let position: bigint | undefined
  let failures = 0
  try {
    while (!signal.aborted) {
      try {
        position ??= await lastPosition(database.db)
        const { events, next } = await readNext(database, position, follower.types)
        await pass(follower, events, signal)
        position = next
        failures = 0
        if (events.length < pageSize) await appended.wait(pollMs, signal)
      } catch {
        // The position does not change. The check of the store reports an unavailable store.
        await sleep(backoffMs(++failures, pauses), signal)
      }
    }
  } finally {
    await listening.stop()
  }
}

async function pass(follower: EventFollower, events: readonly StoredEvent[], signal: AbortSignal): Promise<void> {
  for (let attempt = 1; events.length > 0 && attempt <= mostAttempts && !signal.aborted; attempt++) {
    try {
      return await follower.handle(events)
    } catch (error) {
      follower.onError(error)
      await sleep(backoffMs(attempt, pauses), signal)
    }
  }
}

// Read before the events, the end of the log is below every event that a later read could add.
async function readNext({ db }: Pick<Database, 'db'>, position: bigint, types: readonly string[]) {
  const end = await lastPosition(db)
  if (end <= position) return { events: [], next: position }
  const events = await readAfter(db, position, pageSize, { types })
  const last = events.at(-1)?.position ?? position
  return { events, next: events.length === pageSize || last > end ? last : end }
}
