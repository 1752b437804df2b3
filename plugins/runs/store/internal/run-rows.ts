import type { RunsTx, SelectedRun } from '../tables.ts'
import type { Db } from './db.ts'

/** Reads a run by id, without a proof. */
export function findRun(db: Db, runId: string): Promise<SelectedRun | undefined> {
  return db.selectFrom('runs_runs').selectAll().where('id', '=', runId).executeTakeFirst()
}

/**
 * Whether an agent or a namespace exists by the object index. The lock delays its deletion until the end of the transaction: a new run is either
 * refused, or committed before the deletion, whose pruning then finds it.
 */
export async function holdObject(db: RunsTx, uid: string): Promise<boolean> {
  const query = db.selectFrom('object_index').select('uid').where('uid', '=', uid).where('deleted_at', 'is', null)
  return (await query.forShare().executeTakeFirst()) !== undefined
}

/** Ids of the child runs that have not ended. */
export async function openChildren(db: Db, runId: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('runs_runs')
    .select('id')
    .where('parent_run_id', '=', runId)
    .where('finished_at', 'is', null)
    .execute()
  return rows.map((row) => row.id)
}
