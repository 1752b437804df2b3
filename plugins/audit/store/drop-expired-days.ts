import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { codeOf } from '#core/database/session/database-errors.ts'
import { assertEpoch } from '#core/database/leader-election.ts'
import type { NewEvent } from '#core/event-store/event.ts'
import type { Store } from '#core/event-store/store.ts'
import { auditRowsRemoved } from '../contract/events.ts'
import { tombstoneHead } from './chain.ts'
import type { Tombstone, SealingTerm } from './chain.ts'
import { dayAfter, dropDays, existingDays, lockPartitions, midnight } from './day-partitions.ts'
import { insertDayTombstone, lastHead, readSeals } from './seals.ts'
import type { AuditTables, AuditTx as Tx } from '../contract/tables.ts'

/** One month. Each drop delays other sessions by some milliseconds and locks a dozen relations. */
export const daysPerTransaction = 31

// Below deadlock_timeout (1 s): a writer that creates a partition must not become the victim of the deadlock check.
const patienceMs = 500
const attempts = 5

/**
 * Drops days outside the window, several per transaction, under the leader's epoch (A12), with one event per day.
 * Yields to long-running readers of the log and retries; throws after five attempts.
 */
export async function dropExpiredDays(
  store: Store,
  term: SealingTerm,
  retentionDays: number,
): Promise<readonly Tombstone[]> {
  const dropped: Tombstone[] = []
  for (let more = true; more;) {
    const batch = await retryWhileRead(() => dropBatch(store, term, retentionDays))
    dropped.push(...batch)
    more = batch.length === daysPerTransaction
  }
  return dropped
}

function dropBatch(store: Store, { name, epoch }: SealingTerm, retentionDays: number): Promise<readonly Tombstone[]> {
  return store.transact(async (tx) => {
    await assertEpoch(tx.tables(), name, epoch)
    const tombstones = await dropSealedDays(tx.tables<AuditTables>(), retentionDays)
    await tx.append('audit/seals', 'any', tombstones.map(toRemoved))
    return tombstones
  })
}

async function retryWhileRead<T>(work: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await work()
    } catch (error) {
      // lock_not_available: sessions that queued behind this one proceed first.
      if (codeOf(error) !== '55P03' || tried === attempts) throw error
      await sleep(Math.random() * 500 * tried)
    }
  }
}

function toRemoved({ day, rows, before, head }: Tombstone): NewEvent {
  const subject = { namespace: undefined, kind: 'AuditDay', name: day }
  return { type: auditRowsRemoved, subject, data: { day, rows, before: before.toISOString(), head } }
}

/**
 * Drops sealed days that ended before the window, at most `daysPerTransaction`, each with a tombstone (A7). Unsealed days wait for their
 * seal. Reads hide the older rows of the boundary day until the day is dropped; no single row is deleted.
 * Returns the tombstones. Fails with 55P03 if a reader blocks the drop for half a second.
 */
export async function dropSealedDays(tx: Tx, retentionDays: number): Promise<readonly Tombstone[]> {
  // Two leaders could drop the same day: the second one reads after the first has committed (A12).
  await lockPartitions(tx)
  const cutoff = await cutoffOf(tx, retentionDays)
  const existing = await existingDays(tx)
  const made: Tombstone[] = []
  let previous = await lastHead(tx, 'audit_tombstones')
  for (const seal of await readSeals(tx)) {
    const before = new Date(midnight(dayAfter(seal.day)))
    if (before > cutoff || made.length === daysPerTransaction) break
    if (!existing.has(seal.day)) continue
    // The seal contains the number of rows. Counting would read the whole day.
    const tombstone = { day: seal.day, rows: seal.rows, before }
    previous = tombstoneHead(previous, tombstone, seal.head)
    made.push({ ...tombstone, head: previous })
    await insertDayTombstone(tx, { ...tombstone, head: previous })
  }
  // Last: from the first drop until COMMIT no other transaction reads or writes the log.
  await dropDays(
    tx,
    made.map(({ day }) => day),
    patienceMs,
  )
  return made
}

// By the database's clock: a manager whose clock is a year ahead drops no additional days.
async function cutoffOf(tx: Tx, days: number): Promise<Date> {
  const { rows } = await sql<{ cutoff: Date }>`
    select clock_timestamp() - make_interval(days => ${days}) as cutoff`.execute(tx)
  if (rows[0] === undefined) throw new Error('the database returned no time')
  return rows[0].cutoff
}
