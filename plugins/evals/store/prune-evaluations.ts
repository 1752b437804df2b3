import { sql } from 'kysely'
import type { Eraser } from '#plugins/erasures/contract/points.ts'
import type { Pruner } from '#plugins/pruning/contract/points.ts'
import type { EvalTables } from '../contract/tables.ts'
import { deleteEvaluations } from './evaluations.ts'
import { deleteOnlineRuns } from './online-runs.ts'

/** Removes evaluations of deleted suites and agents, by uid. */
export const evaluationPruner: Pruner = {
  name: 'evals',
  kinds: ['EvalSuite', 'AgentDeployment'],
  async prune(tx, { kind, uid }, limit) {
    const db = tx.tables<EvalTables>()
    const column = kind === 'EvalSuite' ? 'suite_uid' : 'agent_uid'
    await db.deleteFrom('evals_online_targets').where(column, '=', uid).execute()
    const removed = await deleteEvaluations(db, column, uid, limit)
    if (kind === 'EvalSuite' || removed === limit) return removed
    await db.deleteFrom('evals_overrides').where('agent_uid', '=', uid).execute()
    return removed + (await deleteOnlineRuns(db, sql`agent_uid = ${uid}`, limit - removed))
  },
}

/** The name that stands in place of a person whose data was erased. */
const ERASED = 'erased'

/** Removes the name of a person from evaluations and overrides; the scores are those of revisions and stay. */
export const evaluationEraser: Eraser = {
  name: 'evaluations',
  async erase(tx, { subject, namespaceUid }, limit) {
    const db = tx.tables<EvalTables>()
    const within = namespaceUid === null ? sql`true` : sql`namespace_uid = ${namespaceUid}`
    const evaluations = await sql`update evals_evaluations set created_by = ${ERASED} where id in (
      select id from evals_evaluations where created_by = ${subject} and ${within} limit ${limit}) returning 1`.execute(
      db,
    )
    const overrides =
      await sql`update evals_overrides set created_by = ${ERASED}, reason = '' where (agent_uid, revision) in (
      select agent_uid, revision from evals_overrides where created_by = ${subject} and ${within} limit ${limit}) returning 1`.execute(
        db,
      )
    const erased = evaluations.rows.length + overrides.rows.length
    return { erased, next: erased === 0 ? 'done' : 'more' }
  },
}
