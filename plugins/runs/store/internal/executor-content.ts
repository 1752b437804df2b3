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

/** Child runs with their outcome and costs, oldest first. */
export function readChildren(db: Db, parentId: string, ids?: readonly string[]) {
  const query = db
    .selectFrom('runs_runs')
    .innerJoin('runs_content', 'runs_content.run_id', 'runs_runs.id')
    .leftJoin('runs_costs', 'runs_costs.run_id', 'runs_runs.id')
    .select(['runs_runs.id', 'state', 'fail_reason', 'runs_content.output', 'runs_content.error'])
    .select(['runs_costs.micros', 'runs_costs.currency', 'runs_costs.mixed'])
    .where('parent_run_id', '=', parentId)
    .orderBy('runs_runs.created_at')
    .orderBy('runs_runs.id')
  return (ids === undefined ? query : query.where('runs_runs.id', 'in', [...ids, parentId])).execute()
}

/** Names of the tools that a child of a run has called, in the order of their calls. */
export async function readChildTools(db: Db, parentId: string, childId: string): Promise<readonly string[]> {
  const { rows } = await sql<{ tool: string | null }>`
    select data ->> 'name' as tool from runs_journal where run_id = (
      select id from runs_runs where id = ${childId} and parent_run_id = ${parentId})
    and kind = 'tool.started' order by seq limit 1000`.execute(db)
  return rows.flatMap(({ tool }) => tool ?? [])
}
