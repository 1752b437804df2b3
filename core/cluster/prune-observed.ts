import { sql } from 'kysely'
import type { Transaction } from 'kysely'

/** Forgets objects that were deleted longer ago than the log remembers; a uid never comes back. Returns how many. */
export async function pruneObserved(db: Transaction<unknown>, retentionDays: number): Promise<bigint> {
  const { numAffectedRows } = await sql`
    delete from observed where deleted_at < now() - make_interval(days => ${retentionDays})`.execute(db)
  return numAffectedRows ?? 0n
}
