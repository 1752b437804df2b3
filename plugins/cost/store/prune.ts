import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import type { Tx } from '#core/event-store/store.ts'
import type { CostTables } from '../contract/tables.ts'

/** Days after which no event of a metered run is expected: its mark, which ignores reports, is removed. */
const MARK_DAYS = 60

/** Removes up to `limit` rows of each table that are older than their retention, by the clock of the database. Returns their number. */
export async function removeOldCost(
  tx: Tx,
  { retentionDays, limit }: { readonly retentionDays: number; readonly limit: number },
): Promise<number> {
  const db = tx.tables<CostTables>()
  const today = sql`(clock_timestamp() at time zone 'UTC')::date`
  const before = (days: number) => sql`day < ${today} - ${days}::integer`
  const days = await sql`delete from cost_days where ctid = any(array(
      select ctid from cost_days where ${before(retentionDays)} limit ${limit}))`.execute(db)
  const persons = await sql`delete from cost_persons where ctid = any(array(
      select ctid from cost_persons where ${before(retentionDays)} limit ${limit}))`.execute(db)
  const marks = Math.min(MARK_DAYS, retentionDays)
  const runs = await sql`delete from cost_runs where ctid = any(array(
      select ctid from cost_runs where ${before(retentionDays)} or (metered and ${before(marks)}) limit ${limit}))`.execute(
    db,
  )
  const agents = await removeAgents(db, limit)
  return Math.max(...[days, persons, runs].map(({ numAffectedRows }) => Number(numAffectedRows ?? 0n)), agents)
}

// Labels of deleted agents, once no cost refers to them. A new agent may be recorded before it is in the object index.
async function removeAgents(db: Transaction<CostTables>, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`delete from cost_agents where uid in (select uid from cost_agents a
    where recorded_at < clock_timestamp() - interval '1 day'
      and not exists (select from object_index o where o.uid = a.uid and o.deleted_at is null)
      and not exists (select from cost_days d where d.agent_uid = a.uid)
      and not exists (select from cost_runs r where r.agent_uid = a.uid) limit ${limit})`.execute(db)
  return Number(numAffectedRows ?? 0n)
}
