import type { Db } from './db.ts'

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
