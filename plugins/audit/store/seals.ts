import { sql } from 'kysely'
import type { Seal, Tombstone } from './chain.ts'
import { ensureBlocks, today } from './day-partitions.ts'
import type { AuditTables, AuditTx as Tx } from '../contract/tables.ts'
import type { Reader } from '#core/event-store/store.ts'

/** A handle on the audit log's tables, inside a transaction or not. */
export type AuditReader = Reader<AuditTables>

// Shared by writers, exclusive for closing a day or a generation of keys: no row is added to a day after its seal was computed.
const sealLock = 7_305_102
const blockRows = 1_000

/** State that is locked for a writer until COMMIT. */
export interface Held {
  /** By the database's clock. */
  readonly now: Date
  /** End of the last closed day. Older rows are no longer written. */
  readonly sealedBefore: Date | undefined
  /** Generation to which new keys are added. */
  readonly generation: number
  /** The current UTC day if it has a partition. Nearly every row belongs to it. */
  readonly today: string | undefined
}

/** Waits for all writers and excludes new ones until COMMIT. */
export async function lockWriters(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(sealLock)})`.execute(tx)
}

/** No day is closed and no generation of keys begins before COMMIT. */
export async function holdSeals(tx: Tx): Promise<Held> {
  // Two statements in one message: the snapshot of the second must be younger than the lock.
  const { rows } = await sql<{ now: Date; before: Date | null; generation: number; today: string | null }>`
    select pg_advisory_xact_lock_shared(${sql.lit(sealLock)});
    select clock_timestamp() as now, (select (max(day) + 1)::timestamp at time zone 'UTC' from audit_seals) as before,
      (select max(generation) from audit_key_generations) as generation, ${today} as today`.execute(tx)
  const [row] = rows
  if (row === undefined) throw new Error('the database returned no time')
  const { now, before, generation, today: day } = row
  return { now, sealedBefore: before ?? undefined, generation, today: day ?? undefined }
}

/** Closes the days that ended `graceSeconds` ago, in order and without a gap; a day with open intents waits a day at most. */
export async function closeDays(tx: Tx, graceSeconds: number): Promise<void> {
  await lockWriters(tx)
  await sql`
    with ended as (
      select least(
        ((clock_timestamp() - make_interval(secs => ${graceSeconds})) at time zone 'UTC')::date - 1,
        (select greatest(min(intended_at at time zone 'UTC')::date - 1, (clock_timestamp() at time zone 'UTC')::date - 2)
          from audit_intents having count(*) > 0)) as day),
    first as (
      select coalesce((select max(day) + 1 from audit_seals),
        (select (min(occurred_at) at time zone 'UTC')::date from audit_log)) as day)
    insert into audit_seals (day)
    select d::date from first, ended, generate_series(first.day, ended.day, interval '1 day') as d`.execute(tx)
}

/** Days that are closed and not sealed, oldest first. */
export async function unsealedDays(db: AuditReader): Promise<readonly string[]> {
  const { rows } = await sql<{ day: string }>`
    select day::text from audit_seals where head is null order by day`.execute(db)
  return rows.map((row) => row.day)
}

/** Records id and digest of every row of a closed day. Returns the number of rows and the digest of the day. */
export async function digestDay(tx: Tx, day: string): Promise<Pick<Seal, 'rows' | 'digest'>> {
  // A day of ten million rows takes a minute; no other session waits for it.
  await sql`set local statement_timeout = 0`.execute(tx)
  await ensureBlocks(tx, day)
  await sql`delete from audit_seal_blocks where day = ${day}::date`.execute(tx)
  await sql`insert into audit_seal_blocks (day, block, entries)
    select ${day}::date, block, entries from (${blocksOf(day)}) as blocks`.execute(tx)
  return digestOfBlocks(tx, day)
}

/** The digest of a day from its recorded row digests, independent of the current rows. */
export async function digestOfBlocks(db: AuditReader, day: string): Promise<Pick<Seal, 'rows' | 'digest'>> {
  const { rows } = await sql<{ rows: number; digest: string }>`
    select coalesce(sum(length(entries)) / 48, 0)::int as rows,
      encode(sha256(coalesce(string_agg(sha256(entries), ''::bytea order by block), ''::bytea)), 'hex') as digest
    from audit_seal_blocks where day = ${day}::date`.execute(db)
  return rows[0] ?? { rows: 0, digest: '' }
}

/** The first block of a day whose rows differ from the recorded digests. */
export async function differingBlock(
  db: AuditReader,
  day: string,
): Promise<{ readonly sealed: Buffer; readonly actual: Buffer } | undefined> {
  const { rows } = await sql<{ sealed: Buffer | null; actual: Buffer | null }>`
    with sealed as (select block, entries from audit_seal_blocks where day = ${day}::date),
    actual as (${blocksOf(day)})
    select sealed.entries as sealed, actual.entries as actual
    from sealed full join actual on actual.block = sealed.block
    where coalesce(sealed.entries, ''::bytea) <> coalesce(actual.entries, ''::bytea)
    order by coalesce(sealed.block, actual.block) limit 1`.execute(db)
  const [row] = rows
  const none = Buffer.alloc(0)
  return row && { sealed: row.sealed ?? none, actual: row.actual ?? none }
}

/** Stores the seal of a day. */
export async function insertSeal(tx: Tx, { day, rows, digest, head }: Seal): Promise<void> {
  await sql`update audit_seals set rows = ${rows}, digest = ${digest}, head = ${head}
    where day = ${day}::date and head is null`.execute(tx)
}

/** Every seal, oldest first. */
export async function readSeals(db: AuditReader): Promise<readonly Seal[]> {
  const { rows } = await sql<Seal>`
    select day::text, rows::int, digest, head from audit_seals where head is not null order by day`.execute(db)
  return rows
}

/** Unix time at which the newest sealed day ends; 0 before the first seal. */
export async function sealedUntil(db: AuditReader): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select coalesce(extract(epoch from (max(day) + 1)::timestamp at time zone 'UTC'), 0)::float8 as seconds
    from audit_seals where head is not null`.execute(db)
  return rows[0]?.seconds ?? 0
}

/** The newest head; '' before the first seal. */
export async function lastHead(db: AuditReader, of: 'audit_seals' | 'audit_tombstones'): Promise<string> {
  const order = of === 'audit_seals' ? sql`day` : sql`id`
  const { rows } = await sql<{ head: string }>`
    select head from ${sql.table(of)} where head is not null order by ${order} desc limit 1`.execute(db)
  return rows[0]?.head ?? ''
}

/** Every tombstone, in order of creation. */
export async function readTombstones(db: AuditReader): Promise<readonly Tombstone[]> {
  const { rows } = await sql<Tombstone>`
    select day::text, rows::int, before, head from audit_tombstones order by id`.execute(db)
  return rows
}

/** Stores a tombstone. */
export async function insertDayTombstone(tx: Tx, { day, rows, before, head }: Tombstone): Promise<void> {
  await sql`insert into audit_tombstones (day, rows, before, head)
    values (${day}::date, ${rows}, ${before}, ${head})`.execute(tx)
}

/** The oldest row before the sealed days or within a removed day. */
export async function rowBefore(db: AuditReader, from: Date | undefined, before: Date): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from audit_log where occurred_at < ${before} and occurred_at >= ${from ?? new Date(0)}
    order by occurred_at, id limit 1`.execute(db)
  return rows[0]?.id
}

// Columns of migration 0008: rows of earlier versions have neither, and so their sealed digests stay valid.
const laterColumns = sql`case when actor_exact is null and namespace_uid is null then '[]'::jsonb
  else jsonb_build_array(actor_exact, namespace_uid) end`

// In the order of the log, by values that do not depend on the session: an instant as seconds, JSON in its canonical form.
function blocksOf(day: string) {
  const from = sql`${day}::date::timestamp at time zone 'UTC'`
  const to = sql`(${day}::date + 1)::timestamp at time zone 'UTC'`
  return sql`
    select ((n - 1) / ${sql.lit(blockRows)})::int as block, string_agg(entry, ''::bytea order by n) as entries
    from (
      select row_number() over (order by occurred_at, id) as n,
        uuid_send(id) || sha256(convert_to((jsonb_build_array(extract(epoch from occurred_at), source, actor, actor_kind,
          action, resource_kind, resource_name, namespace, outcome, trace_id, detail) || ${laterColumns})::text, 'UTF8')) as entry
      from audit_log where occurred_at >= ${from} and occurred_at < ${to}) as ordered
    group by 1`
}
