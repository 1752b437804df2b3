import { sql } from 'kysely'
import type { Store } from '#core/event-store/store.ts'
import type { CostTables } from './tables.ts'

/** Days after which no event of a metered run is expected: its mark, which ignores reports, is removed. */
const MARK_DAYS = 60

/** Removes up to `limit` rows of each table that are older than their retention, by the clock of the database. Returns their number. */
export async function removeOldCost(
  store: Pick<Store, 'transact'>,
  { retentionDays, limit }: { readonly retentionDays: number; readonly limit: number },
): Promise<number> {
  return store.transact(async (tx) => {
    const db = tx.tables<CostTables>()
    const today = sql`(clock_timestamp() at time zone 'UTC')::date`
    const before = (days: number) => sql`day < ${today} - ${days}::integer`
    const days = await sql`delete from cost_days where ctid = any(array(
      select ctid from cost_days where ${before(retentionDays)} limit ${limit}))`.execute(db)
    const marks = Math.min(MARK_DAYS, retentionDays)
    const runs = await sql`delete from cost_runs where ctid = any(array(
      select ctid from cost_runs where ${before(retentionDays)} or (metered and ${before(marks)}) limit ${limit}))`.execute(
      db,
    )
    return Math.max(Number(days.numAffectedRows ?? 0n), Number(runs.numAffectedRows ?? 0n))
  })
}
