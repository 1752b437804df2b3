import { sql } from 'kysely'
import type { RunsTx } from '../../contract/tables.ts'
import type { Db } from './db.ts'

/** Replaces the checkpoint of a run during its segment. */
export async function saveCheckpoint(db: RunsTx, runId: string, json: string): Promise<void> {
  await sql`update runs_content set checkpoint = ${json}::jsonb where run_id = ${runId}`.execute(db)
}

/** Replaces the progress of a run while the claim holds it. */
export async function saveProgress(
  db: RunsTx,
  { runId, epoch }: { readonly runId: string; readonly epoch: number },
  json: string,
): Promise<void> {
  await sql`update runs_content set progress = ${json}::jsonb where run_id = ${runId} and exists (
    select 1 from runs_lease where run_id = ${runId} and epoch = ${epoch} and state = 'ready')`.execute(db)
}

/** Latest stored progress of a run that has not ended. */
export async function readProgress(db: Db, runId: string) {
  const row = await db.selectFrom('runs_content').select('progress').where('run_id', '=', runId).executeTakeFirst()
  return row?.progress ?? undefined
}

/** Child runs with their outcome, oldest first. */
export function readChildren(db: Db, parentId: string) {
  return db
    .selectFrom('runs_runs')
    .innerJoin('runs_content', 'runs_content.run_id', 'runs_runs.id')
    .select(['runs_runs.id', 'state', 'fail_reason', 'runs_content.output', 'runs_content.error'])
    .where('parent_run_id', '=', parentId)
    .orderBy('runs_runs.created_at')
    .orderBy('runs_runs.id')
    .execute()
}
