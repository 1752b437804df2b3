import { setTimeout as sleep } from 'node:timers/promises'
import type { NewEvent } from '#core/event-store/event.ts'
import { assertEpoch } from '#core/database/leader-election.ts'
import type { Store } from '#core/event-store/store.ts'
import { codeOf } from '#core/database/database-errors.ts'
import { auditRowsRemoved } from './events.ts'
import type { Tombstone } from './seal/chain.ts'
import type { SealingTerm } from './seal/seal-days.ts'
import { mostDays, pruneBefore } from './store/prune.ts'
import type { AuditTables } from './store/tables.ts'

const attempts = 5

/**
 * Drops days outside the window, several per transaction, under the leader's epoch (A12), with one event per day.
 * Yields to long-running readers of the log and retries; throws after five attempts.
 */
export async function removeOldDays(
  store: Store,
  term: SealingTerm,
  retentionDays: number,
): Promise<readonly Tombstone[]> {
  const removed: Tombstone[] = []
  for (let more = true; more;) {
    const gone = await whenUnread(() => removeSome(store, term, retentionDays))
    removed.push(...gone)
    more = gone.length === mostDays
  }
  return removed
}

function removeSome(store: Store, { name, epoch }: SealingTerm, retentionDays: number): Promise<readonly Tombstone[]> {
  return store.transact<AuditTables, readonly Tombstone[]>(async (tx) => {
    await assertEpoch(tx, name, epoch)
    const tombstones = await pruneBefore(tx.db, retentionDays)
    await tx.append('audit/seals', 'any', tombstones.map(toRemoved))
    return tombstones
  })
}

async function whenUnread<T>(work: () => Promise<T>): Promise<T> {
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
