import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import { sleep } from '#core/async/sleep.ts'
import type { Term } from '#core/jobs/background-work.ts'
import type { Database } from './database.ts'
import { renewLease, untilRenewal } from './renew-leases.ts'

/** A candidate for a lease. `ttlMs` is how long a lease holds without renewal (5 s: with the deadlines of a session, takeover within 15 s). */
export interface LeaderElectionOptions {
  readonly database: Database
  readonly holder: string
  readonly name: string
  readonly ttlMs?: number
}

/** One candidate in the election for one lease. */
export interface LeaderElection {
  /** Acquires the lease, then runs `work`; repeats when the term is lost, until `work` ends by itself or the signal aborts. */
  run(work: (term: Term) => Promise<void>, signal: AbortSignal): Promise<void>
}

/** Creates a candidate for the lease in the row `name` of table `leader`. */
export function createLeaderElection(options: LeaderElectionOptions): LeaderElection {
  return {
    run: async (work, signal) => {
      while (!signal.aborted) {
        const epoch = await acquire(options).catch(() => undefined)
        if (epoch !== undefined && (await lead(options, epoch, work, signal))) return
        // Jitter spreads the requests of candidates.
        await sleep(ttlOf(options) * (0.1 + 0.1 * Math.random()), signal)
      }
    },
  }
}

/** Another leader has been elected; the pending write must not be committed (O5). */
export class StaleEpoch extends Error {
  constructor(name: string, epoch: bigint) {
    super(`epoch ${epoch} of ${name} has ended: another process leads`)
    this.name = 'StaleEpoch'
  }
}

/**
 * Throws `StaleEpoch` unless `epoch` still leads, and keeps it leading until COMMIT. A takeover locks the row FOR UPDATE and waits for FOR KEY
 * SHARE; a renewal is a plain update and does not wait.
 */
export async function assertEpoch<Tables>(db: Transaction<Tables>, name: string, epoch: bigint): Promise<void> {
  const { rows } = await sql`
    select 1 from leader where name = ${name} and epoch = ${epoch} for key share`.execute(db)
  if (rows.length === 0) throw new StaleEpoch(name, epoch)
}

async function acquire(options: LeaderElectionOptions): Promise<bigint | undefined> {
  const { database, holder, name } = options
  return database.db.transaction().execute(async (tx) => {
    await tx
      .insertInto('leader')
      .values({ name, holder, epoch: 0n, expires_at: sql<Date>`'-infinity'` })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    // `skip locked`: while a destructive statement of the old leader is in progress, the lease cannot be acquired.
    const { rows } = await sql`select 1 from leader
      where name = ${name} and expires_at < clock_timestamp() for update skip locked`.execute(tx)
    if (rows.length === 0) return undefined
    const row = await tx
      .updateTable('leader')
      .set({ holder, epoch: sql<bigint>`epoch + 1`, expires_at: expiry(options) })
      .where('name', '=', name)
      .returning('epoch')
      .executeTakeFirstOrThrow()
    return row.epoch
  })
}

// Returns true if the work returned. Its errors end the term; the caller decides whether to retry.
async function lead(
  options: LeaderElectionOptions,
  epoch: bigint,
  work: (term: Term) => Promise<void>,
  signal: AbortSignal,
): Promise<boolean> {
  const lost = new AbortController()
  const term = { epoch, signal: AbortSignal.any([signal, lost.signal]) }
  const renewing = keepRenewing(options, epoch, lost)
  try {
    await work(term)
    return !lost.signal.aborted
  } catch (error) {
    if (lost.signal.aborted) return false
    throw error
  } finally {
    lost.abort()
    await renewing
    await release(options, epoch).catch(() => undefined)
  }
}

// The lease is measured by the monotonic clock from before each renewal was sent. A pause of this process thus makes it end early, never late.
async function keepRenewing(options: LeaderElectionOptions, epoch: bigint, lost: AbortController): Promise<void> {
  const ttlMs = ttlOf(options)
  let until = performance.now() + ttlMs
  while (!lost.signal.aborted) {
    await sleep(untilRenewal(ttlMs / 3, performance.now()), lost.signal)
    if (lost.signal.aborted) return
    const sent = performance.now()
    const deadline = setTimeout(() => lost.abort(), Math.max(0, until - sent))
    const renewed = await renewLease(options.database, { name: options.name, epoch, ttlMs }).catch(() => undefined)
    clearTimeout(deadline)
    if (renewed === true) until = sent + ttlMs
    if (renewed === false || performance.now() >= until) lost.abort()
  }
}

async function release({ database, name }: LeaderElectionOptions, epoch: bigint): Promise<void> {
  await database.db
    .updateTable('leader')
    .set({ expires_at: sql<Date>`'-infinity'` })
    .where('name', '=', name)
    .where('epoch', '=', epoch)
    .execute()
}

function expiry(options: LeaderElectionOptions): ReturnType<typeof sql<Date>> {
  return sql<Date>`clock_timestamp() + make_interval(secs => ${ttlOf(options) / 1000})`
}

function ttlOf(options: LeaderElectionOptions): number {
  return options.ttlMs ?? 5_000
}
