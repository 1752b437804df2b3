import { sql } from 'kysely'
import {
  type AuditRow,
  countOf,
  intentOf,
  isAct,
  isCounted,
  isUnknown,
  mergeRows,
  toAmendment,
  toLate,
} from '../rows.ts'
import { dayOf, ensureDays } from './days.ts'
import { settleIntents } from './intents.ts'
import { holdSeals } from './seals.ts'
import type { AuditTx as Tx } from './tables.ts'

/**
 * Writes rows once per key: new ones are inserted, known ones take an exact actor, what an informer saw, or add to a count.
 * What is older than the window is left out: a rebuild honours retention, and its day may be dropped already.
 */
export async function writeRows(tx: Tx, given: readonly AuditRow[], retentionDays: number): Promise<void> {
  const seals = await holdSeals(tx)
  const oldest = seals.now.getTime() - retentionDays * 86_400_000
  const young = given.filter((row) => row.occurred_at.getTime() >= oldest).map((row) => intoOpenDay(row, seals))
  const rows = mergeRows(await withoutCounted(tx, young, retentionDays))
  if (rows.length === 0) return
  await settleIntents(tx, rows.filter(isAct).map(intentOf))
  const claimed = await claimKeys(tx, rows, retentionDays)
  const fresh = rows.filter((row) => claimed.has(row.key))
  await ensureDays(tx, new Set(fresh.map((row) => dayOf(row.occurred_at))))
  await insertRows(tx, fresh)
  const known = rows.filter((row) => !claimed.has(row.key))
  if (known.length === 0) return
  await insertAmendments(tx, known, { ...seals, retentionDays })
  await countDenials(tx, known.filter(isCounted))
  await explainActs(
    tx,
    known.filter((row) => isAct(row) && !isUnknown(row)),
  )
  await nameActors(
    tx,
    known.filter((row) => row.exact && !isAct(row) && !isCounted(row)),
  )
  await confirmChanges(
    tx,
    known.filter(({ source }) => source === 'controller'),
  )
}

// What concerns a sealed row is a row of its own: nothing in a sealed day changes (A7).
async function insertAmendments(
  tx: Tx,
  known: readonly AuditRow[],
  { now, sealedBefore, retentionDays }: Seals & { readonly retentionDays: number },
): Promise<void> {
  if (sealedBefore === undefined) return
  const telling = known.filter((row) => row.exact && !isCounted(row) && !isUnknown(row))
  const { rows: sealed } = await sql<{ key: string }>`
    select k.key from audit_keys k join audit_log l on l.occurred_at = k.occurred_at and l.id = k.id
    where k.key = any(${texts(telling, (row) => row.key)}::text[]) and k.occurred_at < ${sealedBefore}
      and (not k.exact or l.detail ->> 'reason' = 'unknown')`.execute(tx)
  const keys = new Set(sealed.map(({ key }) => key))
  const amendments = telling.filter((row) => keys.has(row.key)).map((row) => toAmendment(row, now))
  const claimed = await claimKeys(tx, amendments, retentionDays)
  const fresh = amendments.filter((row) => claimed.has(row.key))
  await ensureDays(tx, new Set(fresh.map((row) => dayOf(row.occurred_at))))
  await insertRows(tx, fresh)
}

type Seals = Awaited<ReturnType<typeof holdSeals>>

// A row that comes after its day was sealed stands in the open day and says when it happened.
function intoOpenDay(row: AuditRow, { now, sealedBefore }: Seals): AuditRow {
  if (sealedBefore === undefined || row.occurred_at >= sealedBefore) return row
  return toLate(row, now)
}

// A denial is counted once, also when the inbox was lost and everything is replayed: its event has a key of its own.
async function withoutCounted(tx: Tx, rows: readonly AuditRow[], days: number): Promise<readonly AuditRow[]> {
  const denials = rows.filter(isCounted).map((row) => ({ ...row, key: row.eventKey }))
  if (denials.length === 0) return rows
  const fresh = await claimKeys(tx, denials, days)
  return rows.filter((row) => !isCounted(row) || fresh.has(row.eventKey))
}

// In the order of the keys, so that replicas with overlapping batches wait for each other in one order.
async function claimKeys(tx: Tx, rows: readonly AuditRow[], retentionDays: number): Promise<ReadonlySet<string>> {
  const { rows: claimed } = await sql<{ key: string }>`
    insert into audit_keys (key, id, occurred_at, exact)
    select * from unnest(${texts(rows, (row) => row.key)}::text[], ${texts(rows, (row) => row.id)}::uuid[],
      ${times(rows)}::timestamptz[], ${rows.map((row) => row.exact)}::boolean[]) as given(key, id, occurred_at, exact)
    where occurred_at >= clock_timestamp() - make_interval(days => ${retentionDays})
    order by key on conflict (key) do nothing returning key`.execute(tx)
  return new Set(claimed.map((row) => row.key))
}

// One unnest for up to 500 rows: 38k rows/s were measured, against 2.3k one by one.
async function insertRows(tx: Tx, rows: readonly AuditRow[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    insert into audit_log (id, occurred_at, source, actor, actor_kind, action, resource_kind, resource_name,
      namespace, outcome, trace_id, detail)
    select * from unnest(${texts(rows, (row) => row.id)}::uuid[], ${times(rows)}::timestamptz[],
      ${texts(rows, (row) => row.source)}::text[], ${texts(rows, (row) => row.actor)}::text[],
      ${texts(rows, (row) => row.actor_kind)}::text[], ${texts(rows, (row) => row.action)}::text[],
      ${texts(rows, (row) => row.resource_kind)}::text[], ${texts(rows, (row) => row.resource_name)}::text[],
      ${texts(rows, (row) => row.namespace)}::text[], ${texts(rows, (row) => row.outcome)}::text[],
      ${rows.map((row) => row.trace_id)}::text[], ${texts(rows, (row) => JSON.stringify(row.detail))}::jsonb[])`.execute(
    tx,
  )
}

const unsealed = sql`audit_keys.occurred_at >= coalesce(
  (select (max(day) + 1)::timestamp at time zone 'UTC' from audit_seals), '-infinity')`

async function countDenials(tx: Tx, rows: readonly AuditRow[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    update audit_log set detail = jsonb_set(detail, '{count}',
      to_jsonb(coalesce((detail ->> 'count')::int, 1) + given.count))
    from unnest(${texts(rows, (row) => row.key)}::text[], ${rows.map(countOf)}::int[]) as given(key, count)
    join audit_keys on audit_keys.key = given.key
    where audit_log.occurred_at = audit_keys.occurred_at and audit_log.id = audit_keys.id and ${unsealed}`.execute(tx)
}

/** What became of an act replaces only that nobody knew. */
async function explainActs(tx: Tx, rows: readonly AuditRow[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    update audit_log set outcome = given.outcome, detail = given.detail
    from unnest(${texts(rows, (row) => row.key)}::text[], ${texts(rows, (row) => row.outcome)}::text[],
      ${texts(rows, (row) => JSON.stringify(row.detail))}::jsonb[]) as given(key, outcome, detail)
    join audit_keys on audit_keys.key = given.key
    where audit_log.occurred_at = audit_keys.occurred_at and audit_log.id = audit_keys.id and ${unsealed}
      and audit_log.detail ->> 'reason' = 'unknown'`.execute(tx)
}

/** An exact caller replaces only a guess. */
async function nameActors(tx: Tx, rows: readonly AuditRow[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    with given as (
      select * from unnest(${texts(rows, (row) => row.key)}::text[], ${texts(rows, (row) => row.actor)}::text[],
        ${texts(rows, (row) => row.actor_kind)}::text[], ${rows.map((row) => row.trace_id)}::text[])
        as given(key, actor, actor_kind, trace_id)),
    taken as (
      update audit_keys set exact = true from given where audit_keys.key = given.key and not audit_keys.exact and ${unsealed}
      returning audit_keys.id, audit_keys.occurred_at, given.actor, given.actor_kind, given.trace_id)
    update audit_log set actor = taken.actor, actor_kind = taken.actor_kind, trace_id = taken.trace_id
    from taken where audit_log.occurred_at = taken.occurred_at and audit_log.id = taken.id`.execute(tx)
}

/** An informer's view of a change is the row's, whoever came first; only the actor stays the exact caller. */
async function confirmChanges(tx: Tx, rows: readonly AuditRow[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    update audit_log set source = 'controller', resource_kind = given.resource_kind,
      resource_name = given.resource_name, namespace = given.namespace, detail = audit_log.detail || given.detail
    from unnest(${texts(rows, (row) => row.key)}::text[], ${texts(rows, (row) => row.resource_kind)}::text[],
      ${texts(rows, (row) => row.resource_name)}::text[], ${texts(rows, (row) => row.namespace)}::text[],
      ${texts(rows, (row) => JSON.stringify(row.detail))}::jsonb[])
      as given(key, resource_kind, resource_name, namespace, detail)
    join audit_keys on audit_keys.key = given.key
    where audit_log.occurred_at = audit_keys.occurred_at and audit_log.id = audit_keys.id and ${unsealed}
      and audit_log.source = 'bff'`.execute(tx)
}

function texts(rows: readonly AuditRow[], pick: (row: AuditRow) => string): string[] {
  return rows.map(pick)
}

function times(rows: readonly AuditRow[]): string[] {
  return rows.map((row) => row.occurred_at.toISOString())
}
