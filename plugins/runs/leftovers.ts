import type { Leftover } from '#plugins/pruning/points.ts'
import { runDeleted } from './events.ts'
import { deleteContent, findRun, lockRun, runsOf } from './store/system.ts'
import type { RunsTables } from './store/tables.ts'
import { subjectOf } from './write.ts'

const actor = { name: 'pruning', kind: 'controller' } as const

/** Runs of a deleted agent or namespace go, with journal and content; by uid, so that a re-created one keeps its own. */
export const runLeftovers: Leftover = {
  name: 'runs',
  kinds: ['AgentDeployment', 'Namespace'],
  async prune(tx, { kind, uid }, limit) {
    const db = tx.db.withTables<RunsTables>()
    const ids = await runsOf(db, kind === 'Namespace' ? { namespaceUid: uid } : { agentUid: uid }, limit)
    for (const id of ids) {
      // The lease row is locked first, as by every writer: a worker that still drives the run finds its lease gone.
      await lockRun(db, id)
      const run = await findRun(db, id)
      if (!run) continue
      await deleteContent(db, id)
      const event = { type: runDeleted, actor, subject: subjectOf(run), data: { runId: id } }
      await tx.append(`runs/${id}`, run.version, [event])
    }
    return ids.length
  },
}
