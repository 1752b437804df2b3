import { sql } from 'kysely'
import type { AuditTx as Tx } from '../contract/tables.ts'

const dayMs = 86_400_000

/** Creates missing partitions for the UTC days of these rows. The partition `known` already exists. */
export async function ensureDays(
  tx: Tx,
  given: readonly { readonly occurred_at: Date }[],
  known: string | undefined,
): Promise<void> {
  const numbers = new Set(given.map((row) => Math.floor(row.occurred_at.getTime() / dayMs)))
  const days = [...numbers].map((number) => dayOf(new Date(number * dayMs))).filter((day) => day !== known)
  if (days.length === 0) return
  const { rows } = await sql<{ day: string }>`
    select day from unnest(${days}::text[]) as day
    where to_regclass(${PARTITION} || replace(day, '-', '')) is null order by day`.execute(tx)
  const missing = rows.map(({ day }) => day)
  if (missing.length === 0) return
  // `if not exists` alone lets two replicas collide on the name.
  await lockPartitions(tx)
  for (const day of missing)
    await sql`create table if not exists ${sql.table(partitionOf(day))} partition of audit_log
      for values from (${sql.lit(midnight(day))}) to (${sql.lit(midnight(dayAfter(day)))})`.execute(tx)
}

const partitionLock = 7_305_101

/** Waits for concurrent creation or removal of partitions. */
export async function lockPartitions(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(partitionLock)})`.execute(tx)
}

const PARTITION = 'audit_log_'

/** The current UTC day if it has a partition, else null. */
export const today = sql<string | null>`(
  select day::text from (select (clock_timestamp() at time zone 'UTC')::date as day) as d
  where to_regclass(${sql.lit(PARTITION)} || to_char(day, 'YYYYMMDD')) is not null)`

function partitionOf(day: string): string {
  return PARTITION + day.replaceAll('-', '')
}

/** Days that have a partition. */
export async function existingDays(tx: Tx): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ day: string }>`
    select to_date(substr(c.relname, ${PARTITION.length + 1}), 'YYYYMMDD')::text as day
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'audit_log'::regclass`.execute(tx)
  return new Set(rows.map((row) => row.day))
}

/**
 * Drops days with their rows and their recorded digests. Days without a partition are skipped. Fails with 55P03 if a reader holds the
 * log for longer than `patienceMs`, since all other sessions queue behind this lock.
 */
export async function dropDays(tx: Tx, days: readonly string[], patienceMs: number): Promise<void> {
  if (days.length === 0) return
  const tables = days.flatMap((day) => [partitionOf(day), blocksOf(day)])
  await sql`set local lock_timeout = ${sql.lit(patienceMs)}`.execute(tx)
  // One statement: the server scans all its buffers once per COMMIT of a drop.
  await sql`drop table if exists ${sql.join(tables.map((table) => sql.table(table)))}`.execute(tx)
}

/** Creates the partition for the digests of a day's rows. */
export async function ensureBlocks(tx: Tx, day: string): Promise<void> {
  await sql`create table if not exists ${sql.table(blocksOf(day))} partition of audit_seal_blocks
    for values in (${sql.lit(day)})`.execute(tx)
}

function blocksOf(day: string): string {
  return `audit_seal_blocks_${day.replaceAll('-', '')}`
}

/** The UTC day of a time. */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10)
}

/** The day after a UTC day. */
export function dayAfter(day: string): string {
  return dayOf(new Date(Date.parse(`${day}T00:00:00Z`) + dayMs))
}

/** The first instant of a UTC day, with zone, so that the time zone of the session does not shift it. */
export function midnight(day: string): string {
  return `${day}T00:00:00Z`
}
