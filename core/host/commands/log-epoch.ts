import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import type { CoreTables } from '#core/database/core-tables.ts'

type Db = Transaction<CoreTables>

/** Names of leases that have not expired, by the database's clock. Each means that a process uses this store. */
export async function livingLeaders(db: Db): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from leader where expires_at > clock_timestamp() order by name`.execute(db)
  return rows.map(({ name }) => name)
}

/**
 * Starts an epoch above every one that readers may have seen: a restored log reuses positions that were already published. `seen` is the
 * newest epoch known from elsewhere. Returns the new epoch.
 */
export async function beginEpoch(db: Db, seen: number): Promise<number> {
  const { epoch } = await db
    .updateTable('event_epoch')
    .set({ epoch: sql`greatest(epoch, ${seen}) + 1` })
    .returning('epoch')
    .executeTakeFirstOrThrow()
  // A leader from before the restore that resumes after a pause must not find its own epoch again (O5).
  await sql`update leader set epoch = epoch + 1000000, expires_at = '-infinity'`.execute(db)
  return epoch
}
