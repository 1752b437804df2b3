import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { sleep } from '#core/async/sleep.ts'

/** Notifies other processes of the commits of this one. */
export interface Announcer {
  announce(): void
  /** Resolves when every earlier announcement has been sent. */
  flush(): Promise<void>
}

const pauseMs = 50

/**
 * Announces the first commit immediately, and those of the next 50 ms together: NOTIFY is its own transaction. Inside the transaction of the
 * commit, it would take a server-wide lock.
 */
export function createAnnouncer(db: Kysely<unknown>, channel: string, origin: string): Announcer {
  let isDue = false
  let running: Promise<void> | undefined
  let hurry = new AbortController()
  const run = async (): Promise<void> => {
    try {
      while (isDue) {
        isDue = false
        await sql`select pg_notify(${channel}, ${origin})`.execute(db)
        await sleep(pauseMs, hurry.signal, { ref: false })
      }
    } finally {
      running = undefined
    }
  }
  return {
    announce: () => {
      isDue = true
      running ??= run().catch(() => undefined)
    },
    flush: async () => {
      hurry.abort()
      await running
      hurry = new AbortController()
    },
  }
}
