import { sql } from 'kysely'
import { mergeRows } from '../rows/merge-rows.ts'
import type { AuditRow } from '../rows/audit-row.ts'
import { arrayParameter, ids } from './array-parameter.ts'
import { claimKeys, insertUnkeyed } from './insert-rows.ts'
import type { Window } from './insert-rows.ts'
import type { AuditTx as Tx, PendingActor } from '../contract/tables.ts'

// The API server may report a request that changed nothing, such as a no-op patch. Its actor is kept under the key of the change,
// and the row is created when an informer has seen the change, in either order (A4).

type Rows = readonly AuditRow[]

/** Completion times of requests, for rows that have one. */
export const claimTimes = (rows: Rows) =>
  arrayParameter('timestamptz', rows, ({ claimedAt }) => claimedAt?.toISOString() ?? null)

const claims = (rows: Rows) =>
  arrayParameter('jsonb', rows, ({ actor, actor_kind, detail }) =>
    JSON.stringify({ actor, actor_kind, detail: noteOf(detail) } satisfies PendingActor),
  )

/** Fields that the request adds to the detail of a row. */
export function noteOf({ impersonated }: AuditRow['detail']): AuditRow['detail'] {
  return impersonated === undefined ? {} : { impersonated }
}

/** Keeps actors of rows that do not exist yet and returns the ids of those rows. Claimed keys are left unchanged. */
export async function holdActors(tx: Tx, rows: Rows, held: Window): Promise<ReadonlySet<string>> {
  const fresh = await claimKeys(tx, rows, held)
  const kept = rows.filter((row) => fresh.has(row.id))
  if (kept.length === 0) return fresh
  await sql`
    update audit_keys set claimed_at = given.claimed_at, claim = given.claim
    from unnest(${ids(kept)}, ${claimTimes(kept)}, ${claims(kept)}) as given(id, claimed_at, claim)
    where audit_keys.id = given.id`.execute(tx)
  return fresh
}

/** Records the completion times of the requests behind inserted rows. */
export async function noteClaims(tx: Tx, inserted: Rows): Promise<void> {
  const rows = inserted.filter((row) => row.claimedAt !== undefined)
  if (rows.length === 0) return
  await sql`
    update audit_keys set claimed_at = given.claimed_at from unnest(${ids(rows)}, ${claimTimes(rows)}) as given(id, claimed_at)
    where audit_keys.id = given.id`.execute(tx)
}

/** Inserts rows with a pending actor. Returns their ids. */
export async function joinActors(tx: Tx, rows: Rows, held: Window): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set()
  const { rows: waiting } = await sql<{ id: string; claim: PendingActor; claimed_at: Date }>`
    select id, claim, claimed_at from audit_keys where id = any(${ids(rows)}) and claim is not null
    order by id for update`.execute(tx)
  if (waiting.length === 0) return new Set()
  const claimOf = new Map(waiting.map((one) => [one.id, one]))
  const joined = rows.flatMap((row) => {
    const found = claimOf.get(row.id)
    if (found === undefined) return []
    const claimed = { ...row, ...found.claim, actor_exact: true, claimedAt: found.claimed_at, pending: true } as const
    return mergeRows([row, { ...claimed, trace_id: null }])
  })
  await insertUnkeyed(tx, joined, held)
  await sql`
    update audit_keys set claim = null, occurred_at = given.occurred_at, claimed_at = given.claimed_at
    from unnest(${ids(joined)}, ${arrayParameter('timestamptz', joined, (row) => row.occurred_at.toISOString())}, ${claimTimes(joined)})
      as given(id, occurred_at, claimed_at)
    where audit_keys.id = given.id`.execute(tx)
  return new Set(claimOf.keys())
}
