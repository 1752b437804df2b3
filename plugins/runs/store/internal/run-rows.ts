import type { SelectedRun } from '../tables.ts'
import type { Db } from './db.ts'

/** A run by id, without any proof. */
export function findRun(db: Db, runId: string): Promise<SelectedRun | undefined> {
  return db.selectFrom('runs_runs').selectAll().where('id', '=', runId).executeTakeFirst()
}

/**
 * Whether an agent is observed alive. It stays so until the transaction has ended, because its deletion waits for the lock:
 * a run that is made here is either refused or comes before the deletion, whose pruning then finds it.
 */
export async function holdAgent(db: Db, uid: string): Promise<boolean> {
  const query = db.selectFrom('object_index').select('uid').where('uid', '=', uid).where('deleted_at', 'is', null)
  return (await query.forShare().executeTakeFirst()) !== undefined
}

/** Runs that this run started and that have not ended. */
export async function openChildren(db: Db, runId: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('runs_runs')
    .select('id')
    .where('parent_run_id', '=', runId)
    .where('finished_at', 'is', null)
    .execute()
  return rows.map((row) => row.id)
}
