import { sql } from 'kysely'
import type { RunsTx } from '../../contract/tables.ts'

/**
 * Marks a prepared run as used. Returns false if it was already used. The COMMIT of a concurrent transaction is awaited. The row outlives the run and
 * is kept until the prepared run has expired.
 */
export async function usePrepared(db: RunsTx, runId: string, expiresAt: Date): Promise<boolean> {
  const inserted = await db
    .insertInto('runs_prepared')
    .values({ run_id: runId, expires_at: expiresAt })
    .onConflict((on) => on.column('run_id').doNothing())
    .returning('run_id')
    .executeTakeFirst()
  return inserted !== undefined
}

/** Deletes at most `limit` rows of expired prepared runs. The margin of an hour exceeds any clock skew. */
export async function dropExpiredPrepared(db: RunsTx, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from runs_prepared where run_id in (
      select run_id from runs_prepared where expires_at < clock_timestamp() - interval '1 hour'
      order by expires_at limit ${limit})
    returning 1`.execute(db)
  return rows.length
}
