import type { Core } from '#core/plugin/core-services.ts'
import type { Store } from '#core/event-store/store.ts'
import { assertEpoch } from '#core/database/leader-election.ts'
import { auditDaySealed } from '../contract/events.ts'
import { closeDays, digestDay, insertSeal, lastHead, unsealedDays } from '../store/seals.ts'
import type { AuditTables } from '../contract/tables.ts'
import { sealHead } from '../store/chain.ts'
import type { SealingTerm } from '../store/chain.ts'

/** One hour: longer than outcomes wait for a healthy store. Later outcomes become rows of the open day. */
export const graceSeconds = 3_600

/**
 * Seals every day that has ended: its rows are digested in order and chained to the previous day. The head is published outside PostgreSQL, as the
 * event `day-sealed` and as a line `mesh_audit_seal {json}` (A7). Returns how many.
 */
export async function sealDays(
  { store, log }: Pick<Core, 'log'> & { readonly store: Store },
  term: SealingTerm,
  grace = graceSeconds,
): Promise<number> {
  await store.transact(async (tx) => {
    await assertEpoch(tx.tables(), term.name, term.epoch)
    await closeDays(tx.tables<AuditTables>(), grace)
  })
  const days = await unsealedDays(store.reader<AuditTables>())
  for (const day of days) {
    await store.transact(async (tx) => {
      const db = tx.tables<AuditTables>()
      await assertEpoch(db, term.name, term.epoch)
      const counted = { day, ...(await digestDay(db, day)) }
      const head = sealHead(await lastHead(db, 'audit_seals'), counted)
      const seal = { ...counted, head }
      await insertSeal(db, seal)
      const subject = { namespace: undefined, kind: 'AuditDay', name: day }
      await tx.append('audit/seals', 'any', [{ id: `sealed/${day}`, type: auditDaySealed, subject, data: seal }])
      tx.afterCommit(() => log.info({}, `mesh_audit_seal ${JSON.stringify(seal)}`))
    })
  }
  return days.length
}
