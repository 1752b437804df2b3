import { sql } from 'kysely'
import type { GivenConsent } from '../../contract/api.ts'
import type { Db } from './db.ts'

// A subject has fewer paused runs by its quotas.
const MOST = 1_000

/** Ids of the paused runs of a subject with an interrupt that waits for its consent. */
export async function findWaitingForConsent(
  db: Db,
  { subject, interruptPrefix, runId }: GivenConsent,
): Promise<readonly string[]> {
  const isRun = runId === undefined ? sql`true` : sql`id = ${runId}::uuid`
  const { rows } = await sql<{ readonly id: string }>`select id from runs_runs
    where subject = ${subject} and state = 'paused' and ${isRun} and exists (
      select from jsonb_array_elements(open_interrupts) one
      where one->>'reason' = 'auth_required' and starts_with(one->>'id', ${interruptPrefix}))
    order by id limit ${sql.lit(MOST)}`.execute(db)
  return rows.map(({ id }) => id)
}
