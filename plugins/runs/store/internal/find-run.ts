import type { SelectedRun } from '../tables.ts'
import type { Db } from './db.ts'

/** Reads a run by id, without a proof. */
export function findRun(db: Db, runId: string): Promise<SelectedRun | undefined> {
  return db.selectFrom('runs_runs').selectAll().where('id', '=', runId).executeTakeFirst()
}
