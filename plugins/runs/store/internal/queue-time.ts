import { sql } from 'kysely'
import type { Db } from './db.ts'

/** Milliseconds that a run has waited for its next segment, since its creation or latest resume, by the database's clock. */
export async function waitedMs(db: Db, runId: string): Promise<number> {
  const { rows } = await sql<{ ms: number }>`
    select extract(epoch from clock_timestamp() - greatest(created_at, (
      select max(ts) from runs_journal where run_id = runs_runs.id and kind = 'run.resumed')))::float8 * 1000 as ms
    from runs_runs where id = ${runId}`.execute(db)
  return rows[0]?.ms ?? 0
}
