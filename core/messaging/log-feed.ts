import { backoffMs } from '#core/async/backoff.ts'
import { sleep } from '#core/async/sleep.ts'
import type { Database } from '#core/database/database.ts'
import type { StoredEvent } from '#core/event-store/event.ts'
import type { Bus } from './bus/bus.ts'
import { createMemoryBus } from './bus/memory-bus.ts'
import { followLog } from './log-tail.ts'
import type { LogTail } from './log-tail.ts'
import { toSequence } from './wire/cloud-event.ts'
import { toSubject } from './wire/subjects.ts'
import { createEventLog } from './consumer/log-reader.ts'

/** Delivers the log to consumers of this process: hints as the bus gives them, without the bus. */
export interface LogFeed extends Pick<Bus, 'consume'> {
  /** Ends the deliveries, and then the reading of the log. */
  close(): Promise<void>
}

const pageSize = 500
const pauses = { minMs: 50, maxMs: 5_000 }

/**
 * Creates the feed of a process that runs all roles: what it committed reaches its consumers from memory, before and without the relay. An
 * event from before a subscription is left to the sweep that follows each subscription. `pollMs` is the polling interval of the log.
 */
export function createLogFeed(database: Database, pollMs = 5_000): LogFeed {
  const queues = createMemoryBus()
  const stopped = new AbortController()
  let reading: Promise<{ readonly done: Promise<void> }> | undefined
  const start = async (): Promise<{ readonly done: Promise<void> }> => {
    const position = await createEventLog(database).last()
    return { done: follow(followLog(database, pollMs), position, { queues, pollMs, signal: stopped.signal }) }
  }
  return {
    consume: async (durable, subjects, handle) => {
      const subscription = await queues.consume(durable, subjects, handle)
      reading ??= start()
      try {
        await reading
      } catch (error) {
        // The store may be unavailable; the next subscription tries again.
        reading = undefined
        await subscription.stop()
        throw error
      }
      return subscription
    },
    close: async () => {
      stopped.abort()
      await queues.close()
      await reading?.then(({ done }) => done).catch(() => undefined)
    },
  }
}

interface Following {
  readonly queues: Bus
  readonly pollMs: number
  readonly signal: AbortSignal
}

async function follow(tail: LogTail, from: bigint, { queues, pollMs, signal }: Following): Promise<void> {
  let position = from
  let failures = 0
  try {
    while (!signal.aborted) {
      try {
        const events = await tail.read(position, pageSize)
        for (const event of events) await queues.publish(toHint(event))
        position = events.at(-1)?.position ?? position
        if (events.length === 0) await tail.wait(pollMs, signal)
        failures = 0
      } catch {
        // The position does not change, so that no event is skipped. The check of the store reports an unavailable store.
        await sleep(backoffMs(++failures, pauses), signal)
      }
    }
  } finally {
    await tail.stop()
  }
}

// Consumers use only the position of a message: the epoch of the log has no use inside one process.
function toHint(event: StoredEvent) {
  return {
    subject: toSubject(event.type, event.subject.namespace),
    id: event.id,
    body: Buffer.from(`{"sequence":"${toSequence(0, event.position)}"}`),
  }
}
