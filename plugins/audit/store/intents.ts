import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { AuditTables, AuditTx as Tx } from '../contract/tables.ts'

/** An act that is about to happen. */
export type IntendedAct = Selectable<Omit<AuditTables['audit_intents'], 'recorded_at'>>

/** Records intents. Existing ones are left unchanged. */
export async function insertIntents(tx: Tx, intents: readonly IntendedAct[]): Promise<void> {
  if (intents.length === 0) return
  const rows = intents.map((intent) => ({ ...intent, recorded_at: sql<Date>`clock_timestamp()` }))
  await tx
    .insertInto('audit_intents')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Deletes intents that have an outcome. */
export async function settleIntents(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await sql`delete from audit_intents where id = any(${ids}::uuid[])`.execute(tx)
}

/** Returns up to 500 intents that have been unsettled for longer than the limit, by the clock of the database. */
export async function takeAbandoned(tx: Tx, seconds: number): Promise<readonly IntendedAct[]> {
  const { rows } = await sql<IntendedAct>`
    delete from audit_intents where id in (
      select id from audit_intents where recorded_at < clock_timestamp() - make_interval(secs => ${seconds})
      order by recorded_at limit 500)
    returning id, intended_at, actor, action, resource_kind, resource_name, namespace, traceparent`.execute(tx)
  return rows
}
