import { sql } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import { createStore } from '#core/event-store/create-store.ts'
import type { Database } from '#core/database/database.ts'
import { readAfter } from '#core/event-store/read-events.ts'
import { note } from '#core/event-store/testing/notes.ts'
import type { Random } from '../random.ts'

/** Number of concurrent writers. */
export const writers = 50
const streams = 20

/** Running writers. */
export interface Writing {
  /** Appends one event and returns its number. */
  write(): Promise<number>
  stop(): Promise<{ readonly acknowledged: ReadonlySet<number>; readonly rolledBack: ReadonlySet<number> }>
}

/** Starts writers with transactions of random length, one in ten of which is rolled back. */
export function startWriters(database: Database, random: Random): Writing {
  const store = createStore(database, { projections: [] })
  const acknowledged = new Set<number>()
  const rolledBack = new Set<number>()
  let last = 0
  const stopped = new AbortController()
  const write = async (): Promise<number> => {
    const numbers = Array.from({ length: random.int(1, 3) }, () => ++last)
    const undo = random.next() < 0.1
    await store
      .transact(async (tx) => {
        await tx.append(
          `notes/${random.int(1, streams)}`,
          'any',
          numbers.map((n) => note(n)),
        )
        // Inside the transaction, while others take positions and commit.
        await sql`select pg_sleep(${random.next() * 0.05})`.execute(tx.tables())
        if (undo) throw new RolledBack()
      })
      .catch((error: unknown) => {
        if (error instanceof RolledBack) for (const n of numbers) rolledBack.add(n)
        throw error
      })
    for (const n of numbers) acknowledged.add(n)
    return numbers[0] ?? 0
  }
  const loops = Array.from({ length: writers }, async () => {
    while (!stopped.signal.aborted) {
      // A stopped server refuses immediately. The log decides about writes without a response.
      await write().catch(() => random.instant(5, 20))
      await random.instant(0, 100)
    }
  })
  const stop: Writing['stop'] = async () => {
    stopped.abort()
    await Promise.all(loops)
    return { acknowledged, rolledBack }
  }
  return { write, stop }
}

class RolledBack extends Error {}

/** Positions in the order in which they were read. */
export interface Reader {
  stop(): Promise<readonly bigint[]>
}

/** Reads by position, like an integrator. It must see each commit, however late. */
export function followLog(database: Database): Reader {
  const seen: bigint[] = []
  const stopped = new AbortController()
  const follow = async (): Promise<void> => {
    for (let idle = false; !stopped.signal.aborted || !idle;) {
      const page = await readAfter(database.db, seen.at(-1) ?? 0n, 200).catch(() => undefined)
      // A closed database refuses without I/O: without a pause nothing else would run, and a failed case would never be reported.
      if (page === undefined) await sleep(5)
      seen.push(...(page ?? []).map(({ position }) => position))
      idle = page?.length === 0
    }
  }
  const following = follow()
  return {
    stop: async () => {
      stopped.abort()
      await following
      return seen
    },
  }
}
