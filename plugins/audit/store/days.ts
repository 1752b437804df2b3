import { sql } from 'kysely'
import type { AuditTx as Tx } from './tables.ts'

/** Makes the partitions of UTC days (`2026-11-21`) that are not there yet. */
export async function ensureDays(tx: Tx, days: ReadonlySet<string>): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'audit_log'::regclass
      and c.relname = any(${[...days].map(partitionOf)}::text[])`.execute(tx)
  const there = new Set(rows.map((row) => row.name))
  const missing = [...days].filter((day) => !there.has(partitionOf(day))).toSorted()
  if (missing.length === 0) return
  // `if not exists` alone lets two replicas collide on the name.
  await lockPartitions(tx)
  for (const day of missing)
    await sql`create table if not exists ${sql.table(partitionOf(day))} partition of audit_log
      for values from (${sql.lit(midnight(day))}) to (${sql.lit(midnight(dayAfter(day)))})`.execute(tx)
}

const partitionLock = 7_305_101

async function lockPartitions(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(partitionLock)})`.execute(tx)
}

/** Drops the days before the window and deletes the older rows of the boundary day; returns how many rows went. */
export async function pruneBefore(tx: Tx, days: number): Promise<number> {
  // Two leaders would drop the same day: the second one looks when the first is done.
  await lockPartitions(tx)
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'audit_log'::regclass
      and (to_date(substr(c.relname, ${PARTITION.length + 1}), 'YYYYMMDD') + 1)::timestamp at time zone 'UTC'
        <= clock_timestamp() - make_interval(days => ${days})`.execute(tx)
  let gone = 0
  for (const { name } of rows) {
    const counted = await sql<{ n: number }>`select count(*)::int as n from ${sql.table(name)}`.execute(tx)
    gone += counted.rows[0]?.n ?? 0
    await sql`drop table ${sql.table(name)}`.execute(tx)
  }
  const boundary = await sql`delete from audit_log
    where occurred_at < clock_timestamp() - make_interval(days => ${days})`.execute(tx)
  await sql`delete from audit_keys where occurred_at < clock_timestamp() - make_interval(days => ${days})`.execute(tx)
  return gone + Number(boundary.numAffectedRows ?? 0n)
}

const PARTITION = 'audit_log_'

function partitionOf(day: string): string {
  return PARTITION + day.replaceAll('-', '')
}

/** The UTC day of a time. */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10)
}

function dayAfter(day: string): string {
  return dayOf(new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000))
}

/** The session's time zone must not move the border of a day. */
function midnight(day: string): string {
  return `${day}T00:00:00Z`
}
