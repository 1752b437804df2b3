import { sql } from 'kysely'
import type { Transaction } from 'kysely'

/**
 * Makes the next lists decide what is true, after store or cluster were restored: versions may have gone back, and what was deleted may
 * be there again. Contents stay, so that what did not change is not told again.
 */
export async function rebaseObserved(db: Transaction<unknown>): Promise<void> {
  await sql`delete from observed where deleted_at is not null`.execute(db)
  await sql`update observed set rv = '0'`.execute(db)
  await sql`delete from followed`.execute(db)
  await sql`delete from followed_namespaces`.execute(db)
}
