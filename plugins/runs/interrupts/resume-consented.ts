import { accountActor } from '#core/event-store/event.ts'
import type { Tx } from '#core/event-store/store.ts'
import type { GivenConsent } from '../contract/api.ts'
import type { RunsTables } from '../contract/tables.ts'
import type { RunWriter } from '../lifecycle/run-writer.ts'
import { lockLeases } from '../store/internal/lease.ts'
import { findWaitingForConsent } from '../store/internal/waiting-for-consent.ts'
import { toResumeChange } from './resume-run.ts'

/** Dependencies. */
interface ConsentServices {
  readonly core: { readonly now: () => Date }
  readonly writer: RunWriter
}

/**
 * Resolves what paused runs of a subject ask of it, in the name of the subject. The interrupt is read again under the lock of its run, so that a repeated
 * event, or a person who answers at the same time, resolves it once.
 */
export async function resumeConsentedIn(
  { core, writer }: ConsentServices,
  tx: Tx,
  consent: GivenConsent,
): Promise<readonly string[]> {
  const db = tx.tables<RunsTables>()
  const ids = await findWaitingForConsent(db, consent)
  await lockLeases(db, ids)
  const by = { username: consent.subject, at: core.now().toISOString() }
  const resumed: string[] = []
  for (const id of ids)
    await writer.changeIn(tx, id, { actor: accountActor(consent.subject) }, (facts, { run }) => {
      const open = facts.interrupts.find((one) => one.id.startsWith(consent.interruptPrefix))
      if (facts.state !== 'paused' || open === undefined) return { facts: [] }
      const change = toResumeChange({ facts, run, answer: { interruptId: open.id, decision: 'approve' }, by })
      if (change.facts.some(({ fact }) => fact === 'resumed')) resumed.push(id)
      return change
    })
  return resumed
}
