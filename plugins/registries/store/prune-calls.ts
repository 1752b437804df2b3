import { sql } from 'kysely'
import type { Tx } from '#core/event-store/store.ts'
import type { RegistriesTables } from '../contract/tables.ts'

/** Removes up to `limit` rows of calls from before two hours, by the clock of the database. Returns their number. */
export async function removeOldCalls(tx: Tx, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`delete from registries_calls where ctid = any(array(
      select ctid from registries_calls where slot < clock_timestamp() - interval '2 hours' limit ${limit}))`.execute(
    tx.tables<RegistriesTables>(),
  )
  return Number(numAffectedRows ?? 0n)
}
