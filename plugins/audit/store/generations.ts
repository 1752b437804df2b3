import { sql } from 'kysely'
import { lockWriters } from './seals.ts'
import type { AuditTx as Tx } from './tables.ts'

// A month, as the ranges of the event log: three or four generations are there at a time, and each claim looks into all of them.
const generationDays = 30
/** How long a key lives at least. The twin of a change comes with a delay: an informer that was down, a BFF that kept its outcomes in the spool. */
export const keyDays = 7

/**
 * Opens the next generation of keys when the current one is `days` old, and drops those that nothing can ask for any more: a key is
 * needed while its event can come again, that is while the log has it, and while its twin may come. Both by the database's clock.
 * No writer is under way meanwhile: each writes to the newest generation and sees every older one complete (A4).
 */
export async function turnGenerations(tx: Tx, days = generationDays): Promise<void> {
  await lockWriters(tx)
  const { rows: closed } = await sql<{ next: number }>`
    update audit_key_generations
    set closed_at = clock_timestamp(), last_position = (select last_value from events_position)
    where closed_at is null and opened_at <= clock_timestamp() - make_interval(days => ${days})
    returning generation + 1 as next`.execute(tx)
  for (const { next } of closed) await openGeneration(tx, next)
  const { rows: gone } = await sql<{ generation: number }>`
    delete from audit_key_generations
    where closed_at < clock_timestamp() - make_interval(days => ${sql.lit(keyDays)})
      and not exists (select from events where position <= last_position)
    returning generation`.execute(tx)
  for (const { generation } of gone) await sql`drop table ${sql.table(partitionOf(generation))}`.execute(tx)
}

async function openGeneration(tx: Tx, generation: number): Promise<void> {
  await sql`create table ${sql.table(partitionOf(generation))} partition of audit_keys
    for values in (${sql.lit(generation)})`.execute(tx)
  await sql`insert into audit_key_generations (generation) values (${generation})`.execute(tx)
}

function partitionOf(generation: number): string {
  return `audit_keys_${generation}`
}
