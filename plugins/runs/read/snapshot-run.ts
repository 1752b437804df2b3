import type { Caller } from '#core/cluster/caller.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { Store } from '#core/event-store/store.ts'
import { toFrame } from '../stream/to-frame.ts'
import { readActivityOf } from '../store/read-activity.ts'
import { readCostsOf } from '../store/read-costs.ts'
import { lockRun } from '../store/internal/lease.ts'
import { previewRuleOf, unrestricted } from '../previews/preview-rule.ts'
import { readJournalPage, readRunContent } from '../store/reads.ts'
import { readIndexedAgent } from '../store/lists/sealed-runs.ts'
import type { RunsTables, SelectedRun } from '../contract/tables.ts'
import { buildTree } from './build-tree.ts'
import { findForCaller } from './find-run.ts'
import { findSealed } from './sealed-access.ts'
import type { FoundRun, RunSnapshot, SealedAccess, SnapshotBounds } from '../contract/found-run.ts'
import { toDetail } from './to-run.ts'

/** Takes a snapshot of a run that the caller may `get`. Throws `not_found` for others. */
export async function snapshotRun(
  store: Store,
  caller: Pick<Caller, 'may'>,
  runId: string,
  most: SnapshotBounds,
): Promise<RunSnapshot> {
  return readSnapshot(store, await findForCaller(store.reader<RunsTables>(), caller, { runId }), most)
}

/** Takes a snapshot of a run that a sealed access covers. */
export async function sealedSnapshot(
  services: Parameters<typeof findSealed>[0] & { readonly store: Store },
  access: SealedAccess,
  runId: string,
  most: SnapshotBounds,
): Promise<RunSnapshot> {
  return readSnapshot(services.store, await findSealed(services, access, runId), most)
}

/** Takes a snapshot of a run that was found under a proof. Throws `not_found` if it was removed meanwhile. */
async function readSnapshot(store: Store, found: FoundRun, most: SnapshotBounds): Promise<RunSnapshot> {
  return store.transact(async (tx) => {
    const db = tx.tables<RunsTables>()
    // The lock makes writers of the run wait, so that state and journal are consistent.
    const locked = await lockRun(db, found.id)
    if (locked === undefined) throw new Fail('not_found')
    const { run } = locked
    const { entries, isLast } = await readJournalPage(db, run, 0, most)
    const { activity } = await readActivityOf(db, run)
    const more = { ...(await readCostsOf(db, run)), ...activity }
    const detail = toDetail(run, more, await readRunContent(db, run))
    const events = entries.map((entry) => toFrame(run, entry))
    const tree = treeOf(run, !isLast)
    const content = run.agent_uid === null ? unrestricted : previewRuleOf(await readIndexedAgent(db, run.agent_uid))
    return { found, agentUid: run.agent_uid, run: detail, content, events, truncated: !isLast, tree }
  })
}

function treeOf(run: SelectedRun, isTruncated: boolean): RunSnapshot['tree'] {
  return (events) =>
    buildTree(
      run,
      events.map(({ seq = 0, ts, kind, spanId, data }) => ({ seq, ts: new Date(ts), kind, span_id: spanId, data })),
      { isTruncated },
    )
}
