import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { deletedUids } from '#core/cluster/object-index-sql.ts'
import type { Tx } from '#core/event-store/store.ts'
import type { ErasedSubject } from '#plugins/erasures/contract/points.ts'
import type { Pruner } from '#plugins/pruning/contract/points.ts'
import { requestErasure } from './erasures.ts'
import { removeUsage } from './usage.ts'
import type { MemoryTables } from '../contract/tables.ts'

interface Removed {
  readonly agent_uid: string
  readonly namespace: string
  readonly bytes: number
}

/** Removes at most `limit` items that have expired, by the clock of the database. Returns their number. */
export function removeExpired(tx: Tx, limit: number): Promise<number> {
  return removeWhere(
    tx,
    sql`id in (select id from memory_items
      where expires_at <= clock_timestamp() order by expires_at limit ${limit} for update skip locked)`,
  )
}

/** Removes at most `limit` items of deleted agents. A pod may store one after its agent was pruned, as long as the state role caches the agent. */
export function removeOrphans(tx: Tx, limit: number): Promise<number> {
  return removeWhere(
    tx,
    sql`id in (select id from memory_items
      where agent_uid in ${deletedUids('AgentDeployment')} limit ${limit} for update skip locked)`,
  )
}

/** Removes at most `limit` items of a person, in one namespace or in all. Returns their number. */
export function removeItemsOf(
  tx: Tx,
  { subject, namespace }: Pick<ErasedSubject, 'subject' | 'namespace'>,
  limit: number,
): Promise<number> {
  const where = namespace === null ? sql`true` : sql`namespace = ${namespace}`
  return removeWhere(
    tx,
    sql`id in (select id from memory_items where subject = ${subject} and ${where} limit ${limit} for update)`,
  )
}

/** Removes the items that agents stored in runs. Returns their number. */
export function removeItemsOfRuns(tx: Tx, runIds: readonly string[]): Promise<number> {
  return removeWhere(tx, sql`run_id = any(${[...runIds]}::uuid[])`)
}

async function removeWhere(tx: Tx, condition: RawBuilder<unknown>): Promise<number> {
  const db = tx.tables<MemoryTables>()
  const { rows } = await sql<Removed>`delete from memory_items where ${condition}
    returning agent_uid, namespace, bytes`.execute(db)
  await removeUsage(db, rows)
  return rows.length
}

/** Removes the long-term memory of a deleted agent. Its conversations are erased by the state role, the only role with access to their store. */
export const itemPruner: Pruner = {
  name: 'memory',
  kinds: ['AgentDeployment'],
  async prune(tx, { uid, namespace }, limit) {
    if (namespace !== null) await requestErasure(tx, { namespace, uid })
    return removeWhere(tx, sql`id in (select id from memory_items where agent_uid = ${uid} limit ${limit})`)
  },
}
