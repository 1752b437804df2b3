import { setTimeout as sleep } from 'node:timers/promises'
import type { NewEvent } from '#core/events/event.ts'
import { assertEpoch } from '#core/store/leadership.ts'
import type { Store } from '#core/store/store.ts'
import { codeOf } from '#core/store/store-failure.ts'
import { auditRowsRemoved } from './events.ts'
import type { Tombstone } from './seal/chain.ts'
import type { SealingTerm } from './seal/seal-days.ts'
import { mostDays, pruneBefore } from './store/prune.ts'
import type { AuditTables } from './store/tables.ts'

const attempts = 5

/**
 * Drops what is older than the window, some days a transaction, each under the leader's epoch (A12), with an event for each day.
 * Gives way to who reads the log for long, and comes back; after five times the error is the caller's.
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
      // lock_not_available; who was kept waiting meanwhile goes first.
      if (codeOf(error) !== '55P03' || tried === attempts) throw error
      await sleep(Math.random() * 500 * tried)
    }
  }
}

function toRemoved({ day, rows, before, head }: Tombstone): NewEvent {
  const subject = { namespace: undefined, kind: 'AuditDay', name: day }
  return { type: auditRowsRemoved, subject, data: { day, rows, before: before.toISOString(), head } }
}
