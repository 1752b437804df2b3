import type { SelectedRun } from '../tables.ts'
import type { Db } from './db.ts'

/** Reads a run by id, without a proof. */
export function findRun(db: Db, runId: string): Promise<SelectedRun | undefined> {
  return db.selectFrom('runs_runs').selectAll().where('id', '=', runId).executeTakeFirst()
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
