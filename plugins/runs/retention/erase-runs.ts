import type { Tx } from '#core/event-store/store.ts'
import type { ErasedSubject, ErasureStep, Eraser } from '#plugins/erasures/contract/points.ts'
import type { RunsTables } from '../contract/tables.ts'
import { decideCancel, isSettled } from '../lifecycle/decide.ts'
import type { RunWriter } from '../lifecycle/run-writer.ts'
import { isErasureOverdue, runsOfSubject } from '../store/deletion.ts'
import { lockLeases } from '../store/internal/lease.ts'
import { deleteRuns } from './delete-runs.ts'

const actor = { name: 'erasures', kind: 'controller' } as const

/**
 * Erases the runs of a subject with their content: cancels them, waits for their end, and removes them. A run whose agent does not stop in time is
 * removed as well; its worker then loses the lease. What refers to a run follows from `runs.deleted`.
 */
export function createRunEraser(writer: RunWriter, removed: (runs: number) => void): Eraser {
  return {
    name: 'runs',
    first: true,
    stop: (tx, subject, limit) => cancelOpen(tx, writer, subject, limit),
    erase: async (tx, subject, limit) => {
      const db = tx.tables<RunsTables>()
      const ended = await runsOfSubject(db, subject, 'ended', limit)
      if (ended.length > 0) return { erased: await erase(tx, ended, removed), next: 'more' }
      // A run under way may have started others.
      if ((await cancelOpen(tx, writer, subject, limit)) > 0) return nothing('more')
      const open = await runsOfSubject(db, subject, 'any', limit)
      if (open.length === 0) return nothing('done')
      if (!(await isErasureOverdue(db, subject))) return nothing('wait')
      return { erased: await erase(tx, open, removed), next: 'more' }
    },
  }
}

function nothing(next: ErasureStep['next']): ErasureStep {
  return { erased: 0, next }
}

async function erase(tx: Tx, ids: readonly string[], removed: (runs: number) => void): Promise<number> {
  const runs = await deleteRuns(tx, ids, actor, 'erased')
  tx.afterCommit(() => removed(runs))
  return runs
}

/** Returns the number of runs whose cancel was requested now. */
async function cancelOpen(tx: Tx, writer: RunWriter, subject: ErasedSubject, limit: number): Promise<number> {
  const db = tx.tables<RunsTables>()
  const ids = await runsOfSubject(db, subject, 'open', limit)
  await lockLeases(db, ids)
  let cancelled = 0
  for (const id of ids) {
    const decide: Parameters<RunWriter['changeIn']>[3] = (run) => {
      if (isSettled(run.state)) return { facts: [] }
      cancelled++
      return { facts: decideCancel(run) }
    }
    await writer.changeIn(tx, id, { actor }, decide)
  }
  return cancelled
}
