import type { Tx } from '#core/event-store/store.ts'
import type { Pruner } from '#plugins/pruning/contract/points.ts'
import { decideCancel, isSettled } from '../lifecycle/decide.ts'
import { deleteRuns } from './delete-runs.ts'
import { forgetStorage, openRunsOfAgent, runsOfNamespace } from '../store/deletion.ts'
import { removeFormerKeys } from '../store/former-keys.ts'
import { lockLeases } from '../store/internal/lease.ts'
import type { RunsTables } from '../contract/tables.ts'
import type { RunWriter } from '../lifecycle/run-writer.ts'

const actor = { name: 'pruning', kind: 'controller' } as const

/**
 * Effect of deletions on runs, by uid, so that a re-created object of the same name is not affected. Deleting a namespace removes its
 * runs. Deleting an agent cancels its active runs; all stay until their retention ends.
 */
export function createRunPruner(writer: RunWriter, removed: (runs: number) => void): Pruner {
  return {
    name: 'runs',
    kinds: ['AgentDeployment', 'Namespace'],
    async prune(tx, { kind, uid }, limit) {
      return kind === 'Namespace' ? removeRuns(tx, uid, limit, removed) : cancelRuns(tx, writer, uid, limit)
    },
  }
}

async function removeRuns(
  tx: Tx,
  namespaceUid: string,
  limit: number,
  removed: (runs: number) => void,
): Promise<number> {
  const db = tx.tables<RunsTables>()
  const ids = await runsOfNamespace(db, namespaceUid, limit)
  const runs = await deleteRuns(tx, ids, actor)
  if (ids.length < limit) await forgetStorage(db, namespaceUid)
  tx.afterCommit(() => removed(runs))
  return ids.length
}

async function cancelRuns(tx: Tx, writer: RunWriter, agentUid: string, limit: number): Promise<number> {
  const db = tx.tables<RunsTables>()
  await removeFormerKeys(db)
  const ids = await openRunsOfAgent(db, agentUid, limit)
  await lockLeases(db, ids)
  for (const id of ids)
    await writer.changeIn(tx, id, { actor }, (run) => ({ facts: isSettled(run.state) ? [] : decideCancel(run) }))
  return ids.length
}
