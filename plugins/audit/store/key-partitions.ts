import { sql } from 'kysely'
import { lockWriters } from './seals.ts'
import type { AuditTx as Tx } from '../contract/tables.ts'

// One month, like the partitions of the event log. Three or four generations exist at a time, and each claim searches all of them.
const generationDays = 30
/** Minimum lifetime of a key. The second report of a change may be late if an informer was down, or if it comes from the spool of a BFF. */
export const keyDays = 7

/**
 * Opens the next generation of keys when the current one is `days` old, and drops expired ones. A key is needed while its event can
 * be replayed from the event log, and while a second report may arrive. Both are measured by the clock of the database.
 * Writers are locked out meanwhile: each writes to the newest generation and sees all older ones complete (A4).
 */
export async function rotateKeyPartitions(tx: Tx, days = generationDays): Promise<void> {
  await lockWriters(tx)
  const { rows: closed } = await sql<{ next: number }>`
    update audit_key_generations
    set closed_at = clock_timestamp(), last_position = (select last_value from events_position)
    where closed_at is null and opened_at <= clock_timestamp() - make_interval(days => ${days})
    returning generation + 1 as next`.execute(tx)
  for (const { next } of closed) await openGeneration(tx, next)
  const { rows: dropped } = await sql<{ generation: number }>`
    delete from audit_key_generations
    where closed_at < clock_timestamp() - make_interval(days => ${sql.lit(keyDays)})
      and not exists (select from events where position <= last_position)
    returning generation`.execute(tx)
  for (const { generation } of dropped) await sql`drop table ${sql.table(partitionOf(generation))}`.execute(tx)
}

async function openGeneration(tx: Tx, generation: number): Promise<void> {
  await sql`create table ${sql.table(partitionOf(generation))} partition of audit_keys
    for values in (${sql.lit(generation)})`.execute(tx)
  await sql`insert into audit_key_generations (generation) values (${generation})`.execute(tx)
}

function partitionOf(generation: number): string {
  return `audit_keys_${generation}`
}
