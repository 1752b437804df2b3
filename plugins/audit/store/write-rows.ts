import { sql } from 'kysely'
import { toAmendment, toLate } from '../rows/late-rows.ts'
import { mergeRows } from '../rows/merge-rows.ts'
import { countOf, idOf, intentOf, isAct, isCounted, isUnknown } from '../rows/row-keys.ts'
import type { AuditRow } from '../rows/audit-row.ts'
import { arrayParameter, details, ids, texts } from './array-parameter.ts'
import { claimKeys, insertRows } from './insert-rows.ts'
import type { Window } from './insert-rows.ts'
import { settleIntents } from './intents.ts'
import { claimTimes, holdActors, joinActors, noteClaims, noteOf } from './pending-actors.ts'
import { holdSeals } from './seals.ts'
import type { Held } from './seals.ts'
import type { AuditTx as Tx } from '../contract/tables.ts'

/**
 * Writes rows once per key. Known rows are updated with an exact actor, the observation of an informer, or a count. Rows outside the window are
 * skipped: a rebuild honours retention, and their day may already be dropped.
 */
export async function writeRows(tx: Tx, given: readonly AuditRow[], retentionDays: number): Promise<void> {
  const held = { ...(await holdSeals(tx)), retentionDays }
  const oldest = held.now.getTime() - retentionDays * 86_400_000
  const young = given.filter((row) => row.occurred_at.getTime() >= oldest).map((row) => intoOpenDay(row, held))
  const rows = mergeRows(await withoutCounted(tx, young, held))
  if (rows.length === 0) return
  await settleIntents(tx, rows.filter(isAct).map(intentOf))
  const claims = rows.filter((row) => row.pending === true)
  const whole = rows.filter((row) => row.pending !== true)
  const waiting = await holdActors(tx, claims, held)
  const inserted = await insertRows(tx, whole, held)
  await noteClaims(
    tx,
    whole.filter((row) => inserted.has(row.id)),
  )
  const waited = await joinActors(
    tx,
    whole.filter((row) => !inserted.has(row.id)),
    held,
  )
  const known = rows.filter((row) => !inserted.has(row.id) && !waiting.has(row.id) && !waited.has(row.id))
  if (known.length === 0) return
  await insertAmendments(tx, known, held)
  await countDenials(tx, known.filter(isCounted))
  await explainActs(
    tx,
    known.filter((row) => isAct(row) && !isUnknown(row)),
  )
  await nameActors(
    tx,
    known.filter((row) => row.actor_exact && !isAct(row) && !isCounted(row)),
  )
  // Only a change has an informer. The detail of a counted row would replace the sum.
  await confirmChanges(
    tx,
    known.filter((row) => row.source === 'controller' && row.pending !== true && !isCounted(row)),
  )
}

// Updates of a sealed row become new rows, since a sealed day never changes (A7).
async function insertAmendments(tx: Tx, known: readonly AuditRow[], held: Window): Promise<void> {
  const { now, sealedBefore } = held
  if (sealedBefore === undefined) return
  const exact = known.filter((row) => row.actor_exact && !isCounted(row) && !isUnknown(row))
  const { rows: sealed } = await sql<{ id: string }>`
    select k.id from audit_keys k join audit_log l on l.occurred_at = k.occurred_at and l.id = k.id
    where k.id = any(${ids(exact)}) and k.occurred_at < ${sealedBefore}
      and (not k.exact or l.detail ->> 'reason' = 'unknown')`.execute(tx)
  const unchangeable = new Set(sealed.map(({ id }) => id))
  const amendments = exact.filter((row) => unchangeable.has(row.id)).map((row) => toAmendment(row, now))
  await insertRows(tx, amendments, held)
}

// A row that arrives after its day was sealed is added to the open day with its original time.
function intoOpenDay(row: AuditRow, { now, sealedBefore }: Held): AuditRow {
  if (sealedBefore === undefined || row.occurred_at >= sealedBefore) return row
  return toLate(row, now)
}

// A denial is counted once, even if the inbox was lost and all events are replayed: its event has its own key.
async function withoutCounted(tx: Tx, rows: readonly AuditRow[], held: Window): Promise<readonly AuditRow[]> {
  const counted = onePerRequest(rows.filter(isCounted))
  if (counted.size === 0) return rows
  const denials = [...counted.values()].map((row) => ({ ...row, id: idOf(row.eventKey) }))
  const fresh = await claimKeys(tx, denials, held)
  return rows.filter((row) => !isCounted(row) || (counted.get(row.eventKey) === row && fresh.has(idOf(row.eventKey))))
}

// The BFF's row of a request has more fields than the API server's: trace, action, and the name that was in the body.
function onePerRequest(rows: readonly AuditRow[]): ReadonlyMap<string, AuditRow> {
  const first = new Map<string, AuditRow>()
  for (const row of rows) {
    const before = first.get(row.eventKey)
    if (before === undefined || (before.source === 'controller' && row.source === 'bff')) first.set(row.eventKey, row)
  }
  return first
}

const unsealed = sql`audit_keys.occurred_at >= coalesce(
  (select (max(day) + 1)::timestamp at time zone 'UTC' from audit_seals), '-infinity')`

async function countDenials(tx: Tx, rows: readonly AuditRow[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    update audit_log set detail = jsonb_set(detail, '{count}',
      to_jsonb(coalesce((detail ->> 'count')::int, 1) + given.count))
    from unnest(${ids(rows)}, ${arrayParameter('int', rows, countOf)}) as given(id, count)
    join audit_keys on audit_keys.id = given.id
    where audit_log.occurred_at = audit_keys.occurred_at and audit_log.id = audit_keys.id and ${unsealed}`.execute(tx)
}

/** An outcome replaces only an unknown outcome. */
async function explainActs(tx: Tx, rows: readonly AuditRow[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    update audit_log set outcome = given.outcome, detail = given.detail
    from unnest(${ids(rows)}, ${texts(rows, (row) => row.outcome)},
      ${details(rows)}) as given(id, outcome, detail)
    join audit_keys on audit_keys.id = given.id
    where audit_log.occurred_at = audit_keys.occurred_at and audit_log.id = audit_keys.id and ${unsealed}
      and audit_log.detail ->> 'reason' = 'unknown'`.execute(tx)
}

/** An exact actor replaces a guess. Of two actors reported by the API server, the earlier one is used. */
async function nameActors(tx: Tx, rows: readonly AuditRow[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    with given as (
      select * from unnest(${ids(rows)}, ${texts(rows, (row) => row.actor)},
        ${texts(rows, (row) => row.actor_kind)}, ${texts(rows, (row) => row.action)}, ${texts(rows, (row) => row.trace_id)},
        ${claimTimes(rows)}, ${arrayParameter('jsonb', rows, ({ detail }) => JSON.stringify(noteOf(detail)))})
        as given(id, actor, actor_kind, action, trace_id, claimed_at, note)),
    taken as (
      update audit_keys set exact = true, claimed_at = given.claimed_at,
        claim = case when audit_keys.claim is null then null
          else jsonb_build_object('actor', given.actor, 'actor_kind', given.actor_kind, 'detail', given.note) end
      from given where audit_keys.id = given.id and ${unsealed}
        and (not audit_keys.exact or coalesce(given.claimed_at, '-infinity') < audit_keys.claimed_at)
      returning audit_keys.id, audit_keys.occurred_at, given.actor, given.actor_kind, given.action, given.trace_id, given.note)
    update audit_log set actor = taken.actor, actor_kind = taken.actor_kind, actor_exact = true, action = taken.action,
      trace_id = taken.trace_id, detail = (audit_log.detail - 'impersonated') || taken.note
    from taken where audit_log.occurred_at = taken.occurred_at and audit_log.id = taken.id`.execute(tx)
}

/** The observation of an informer determines the row, in either order; only the exact actor is kept. */
async function confirmChanges(tx: Tx, rows: readonly AuditRow[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    update audit_log set source = 'controller', resource_kind = given.resource_kind,
      resource_name = given.resource_name, namespace = given.namespace, detail = audit_log.detail || given.detail,
      namespace_uid = coalesce(given.namespace_uid, audit_log.namespace_uid)
    from unnest(${ids(rows)}, ${texts(rows, (row) => row.resource_kind)},
      ${texts(rows, (row) => row.resource_name)}, ${texts(rows, (row) => row.namespace)},
      ${details(rows)}, ${texts(rows, (row) => row.namespace_uid)})
      as given(id, resource_kind, resource_name, namespace, detail, namespace_uid)
    join audit_keys on audit_keys.id = given.id
    where audit_log.occurred_at = audit_keys.occurred_at and audit_log.id = audit_keys.id and ${unsealed}
      and (audit_log.source = 'bff' or not audit_log.detail @> given.detail)`.execute(tx)
}
