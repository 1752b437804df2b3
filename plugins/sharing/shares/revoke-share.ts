import { Fail } from '#core/errors/domain-error.ts'
import { accountActor } from '#core/event-store/event.ts'
import type { Store } from '#core/event-store/store.ts'
import type { FoundRun } from '#plugins/runs/contract/api.ts'
import { shareRevoked } from '../contract/events.ts'
import { subjectOfShare } from './record-share.ts'
import { removeShares } from '../store/shares.ts'
import type { SharingTables } from '../contract/tables.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether a string has the format of a share id. */
export function isShareId(text: string): boolean {
  return uuid.test(text)
}

/** Dependencies of `revokeShare`. `ended` closes the streams of removed shares, after COMMIT. */
export interface RevokeShareServices {
  readonly store: Store
  readonly ended: (shareIds: readonly string[]) => void
}

/** Removes a share of a run with its snapshot: the next read in any replica does not find it (S4). Throws `not_found`. */
export async function revokeShare(
  { store, ended }: RevokeShareServices,
  { run, shareId, by }: { readonly run: FoundRun; readonly shareId: string; readonly by: string },
): Promise<void> {
  await store.transact(async (tx) => {
    const which = { share: shareId, runId: run.id, namespace: run.namespace }
    const removed = await removeShares(tx.tables<SharingTables>(), which)
    if (removed.length === 0) throw new Fail('not_found')
    const data = { shareId, runId: run.id }
    const event = { type: shareRevoked, actor: accountActor(by), subject: subjectOfShare(run, shareId), data }
    await tx.append(`sharing/${shareId}`, 'any', [event])
    tx.afterCommit(() => ended(removed))
  })
}
