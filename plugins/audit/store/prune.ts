import { sql } from 'kysely'
import { type Tombstone, tombstoneHead } from '../seal/chain.ts'
import { dayAfter, dropDays, existingDays, lockPartitions, midnight } from './days.ts'
import { insertTombstone, lastHead, readSeals } from './seals.ts'
import type { AuditTx as Tx } from './tables.ts'

/** One month. Each drop delays other sessions by some milliseconds and locks a dozen relations. */
export const mostDays = 31

// Below deadlock_timeout (1 s): a writer that creates a partition must not become the victim of the deadlock check.
const patienceMs = 500

/**
 * Drops sealed days that ended before the window, at most `mostDays`, each with a tombstone (A7). Unsealed days wait for their seal.
 * Reads hide the older rows of the boundary day until the day is dropped; no single row is deleted.
 * Returns the tombstones. Fails with 55P03 if a reader blocks the drop for half a second.
 */
export async function pruneBefore(tx: Tx, days: number): Promise<readonly Tombstone[]> {
  // Two leaders could drop the same day: the second one reads after the first has committed (A12).
  await lockPartitions(tx)
  const cutoff = await cutoffOf(tx, days)
  const there = await existingDays(tx)
  const made: Tombstone[] = []
  let previous = await lastHead(tx, 'audit_tombstones')
  for (const seal of await readSeals(tx)) {
    const before = new Date(midnight(dayAfter(seal.day)))
    if (before > cutoff || made.length === mostDays) break
    if (!there.has(seal.day)) continue
    // The seal has the number of rows. Counting would read the whole day.
    const tombstone = { day: seal.day, rows: seal.rows, before }
    previous = tombstoneHead(previous, tombstone, seal.head)
    made.push({ ...tombstone, head: previous })
    await insertTombstone(tx, { ...tombstone, head: previous })
  }
  // Last: from the first drop until COMMIT no other transaction reads or writes the log.
  await dropDays(
    tx,
    made.map(({ day }) => day),
    patienceMs,
  )
  return made
}

// By the database's clock: a manager whose own is a year ahead drops nothing more.
async function cutoffOf(tx: Tx, days: number): Promise<Date> {
  const { rows } = await sql<{ cutoff: Date }>`
    select clock_timestamp() - make_interval(days => ${days}) as cutoff`.execute(tx)
  if (rows[0] === undefined) throw new Error('the database returned no time')
  return rows[0].cutoff
}
