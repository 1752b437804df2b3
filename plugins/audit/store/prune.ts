import { sql } from 'kysely'
import { type Seal, type Tombstone, tombstoneHead } from '../seal/chain.ts'
import { dayAfter, dropDays, existingDays, lockPartitions, midnight } from './days.ts'
import { insertTombstone, lastHead, readSeals, readTombstones } from './seals.ts'
import type { AuditTx as Tx } from './tables.ts'

/**
 * Drops the sealed days before the window and deletes the older rows of the boundary day, each under a tombstone (A7); what is not
 * sealed yet waits for its seal. Returns the tombstones.
 */
export async function pruneBefore(tx: Tx, days: number): Promise<readonly Tombstone[]> {
  // Two leaders would drop the same day: the second one looks when the first is done (A12).
  await lockPartitions(tx)
  const cutoff = await cutoffOf(tx, days)
  const there = await existingDays(tx)
  const gone = removedByDay(await readTombstones(tx))
  const made: Tombstone[] = []
  const whole: string[] = []
  let previous = await lastHead(tx, 'audit_tombstones')
  for (const seal of await readSeals(tx)) {
    if (new Date(midnight(seal.day)) >= cutoff) break
    if (!there.has(seal.day)) continue
    const before = new Date(midnight(dayAfter(seal.day)))
    const ended = before <= cutoff
    const removed = gone.get(seal.day) ?? 0
    if (removed === seal.rows && !ended) continue
    // The seal knows how many rows a day has: counting them would read all of it.
    const rows = ended ? seal.rows - removed : await removeOlder(tx, seal, cutoff)
    if (ended) whole.push(seal.day)
    if (rows === 0) continue
    const tombstone = { day: seal.day, rows, before: ended ? before : cutoff }
    previous = tombstoneHead(previous, tombstone, seal.head)
    made.push({ ...tombstone, head: previous })
    await insertTombstone(tx, { ...tombstone, head: previous })
  }
  // Last: from the first drop until COMMIT no other transaction reads or writes the log.
  await sql`delete from audit_seal_blocks where day = any(${whole}::date[])`.execute(tx)
  await dropDays(tx, whole)
  return made
}

// By the database's clock: a manager whose own is a year ahead deletes nothing more.
async function cutoffOf(tx: Tx, days: number): Promise<Date> {
  const { rows } = await sql<{ cutoff: Date }>`
    select clock_timestamp() - make_interval(days => ${days}) as cutoff`.execute(tx)
  if (rows[0] === undefined) throw new Error('the database told no time')
  return rows[0].cutoff
}

function removedByDay(tombstones: readonly Tombstone[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const { day, rows } of tombstones) sums.set(day, (sums.get(day) ?? 0) + rows)
  return sums
}

async function removeOlder(tx: Tx, { day }: Seal, cutoff: Date): Promise<number> {
  const deleted = await sql`delete from audit_log
    where occurred_at >= ${midnight(day)}::timestamptz and occurred_at < ${cutoff}`.execute(tx)
  return Number(deleted.numAffectedRows ?? 0n)
}
