import type { RunsTx } from '../contract/tables.ts'

/** Records that a run, which the transaction has locked, has feedback. */
export async function markRatedIn(db: RunsTx, runId: string): Promise<void> {
  await db
    .insertInto('runs_rated')
    .values({ run_id: runId })
    .onConflict((on) => on.doNothing())
    .execute()
}
