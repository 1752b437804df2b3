import { sql } from 'kysely'
import type { Database } from './database.ts'

/** A lease that this process holds. */
export interface HeldLease {
  readonly name: string
  readonly epoch: bigint
  readonly ttlMs: number
}

interface Waiting {
  readonly lease: HeldLease
  resolve(renewed: boolean): void
  reject(error: unknown): void
}

// A process holds one lease per leader-only job. Those that became due together share a statement, and are due together again.
const gatherMs = 50

const waiting = new WeakMap<Database, Waiting[]>()

/**
 * Milliseconds until a lease is renewed. Renewals of a process fall on the same multiples of their interval, so that one statement renews all
 * leases, whenever each was acquired. `now` is monotonic.
 */
export function untilRenewal(intervalMs: number, now: number): number {
  return intervalMs - (now % intervalMs)
}

/** Renews a lease, together with others that are due. Resolves with false if another process has taken it over. */
export function renewLease(database: Database, lease: HeldLease): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const one = { lease, resolve, reject }
    const group = waiting.get(database)
    if (group !== undefined) {
      group.push(one)
      return
    }
    const first = [one]
    waiting.set(database, first)
    setTimeout(
      () => {
        waiting.delete(database)
        void renewAll(database, first).catch((error: unknown) => first.forEach((each) => each.reject(error)))
      },
      Math.min(gatherMs, lease.ttlMs / 20),
    )
  })
}

// The expiry is not compared: an unchanged epoch proves that no other process took over, however late this is. A locked row is one that
// another process is taking over: it must not delay the renewal of the others.
async function renewAll({ db }: Database, group: readonly Waiting[]): Promise<void> {
  const leases = group.map(({ lease }) => lease)
  const { rows } = await sql<{ name: string; epoch: bigint }>`
    update leader l set expires_at = clock_timestamp() + make_interval(secs => g.seconds)
    from (
      select name, epoch, seconds from leader join
        unnest(${leases.map(({ name }) => name)}::text[], ${leases.map(({ epoch }) => epoch)}::bigint[],
          ${leases.map(({ ttlMs }) => ttlMs / 1_000)}::float8[]) as given (name, epoch, seconds) using (name, epoch)
      for no key update of leader skip locked) g
    where l.name = g.name and l.epoch = g.epoch returning l.name, l.epoch`.execute(db)
  const renewed = new Set(rows.map(({ name, epoch }) => `${name} ${epoch}`))
  for (const { lease, resolve } of group) resolve(renewed.has(`${lease.name} ${lease.epoch}`))
}
