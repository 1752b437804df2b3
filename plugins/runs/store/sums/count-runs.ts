import { sql } from 'kysely'
import type { RunsTx } from '../../contract/tables.ts'

/**
 * Counts runs as they are now in the sums of the statistics, or no longer if they were removed. A repeat changes nothing. Other counts wait until
 * COMMIT.
 */
export async function countRunsIn(db: RunsTx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await sql`select runs_count(${[...ids]}::uuid[])`.execute(db)
}
