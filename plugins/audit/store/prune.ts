import { sql } from 'kysely'
import { type Tombstone, tombstoneHead } from '../seal/chain.ts'
import { dayAfter, dropDays, existingDays, lockPartitions, midnight } from './days.ts'
import { insertTombstone, lastHead, readSeals } from './seals.ts'
import type { AuditTx as Tx } from './tables.ts'

/** A month; each drop adds some milliseconds to what everyone waits, and a lock of a dozen relations. */
export const mostDays = 31

// Less than a second, after which the server would look for a deadlock: a writer that makes a new day must not be its victim.
const patienceMs = 500

/**
 * Drops the sealed days that ended before the window, at most `mostDays` of them, each under a tombstone (A7); what is not sealed yet
 * waits for its seal, and the older rows of the boundary day are hidden by every read until their day goes: no row is deleted.
 * Returns the tombstones; fails with 55P03 when a reader of the log keeps it from the drop for half a second.
 */
export async function pruneBefore(tx: Tx, days: number): Promise<readonly Tombstone[]> {
  // Two leaders would drop the same day: the second one looks when the first is done (A12).
  await lockPartitions(tx)
  const cutoff = await cutoffOf(tx, days)
  const there = await existingDays(tx)
  const made: Tombstone[] = []
  let previous = await lastHead(tx, 'audit_tombstones')
  for (const seal of await readSeals(tx)) {
    const before = new Date(midnight(dayAfter(seal.day)))
    if (before > cutoff || made.length === mostDays) break
    if (!there.has(seal.day)) continue
    // The seal knows how many rows a day has: counting them would read all of it.
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
  if (rows[0] === undefined) throw new Error('the database told no time')
  return rows[0].cutoff
}
