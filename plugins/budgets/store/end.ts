import { sql } from 'kysely'
import type { Tx } from '#core/event-store/store.ts'
import type { BudgetsTables, HoldState } from '../contract/tables.ts'

/** The end of a hold. */
export interface HoldEnd {
  readonly id: string
  /** Undefined for the job that ends leases. */
  readonly holder: string | undefined
  readonly state: Exclude<HoldState, 'open'>
  /** In micro-units; undefined: the held amount. */
  readonly charge: bigint | undefined
  readonly outcome?: string
  readonly estimated?: boolean
}

/** State and charge of a hold that has ended, now or before. */
export interface EndedHold {
  readonly state: HoldState
  readonly charged: bigint
  /** Least remaining amount of the hold's limits; null without a spending limit. */
  readonly remaining: bigint | null
}

type Row = EndedHold & { readonly n: number }

/** Ends holds in one statement. A hold of another holder is unknown: undefined. */
export async function writeEnds(tx: Tx, ends: readonly HoldEnd[]): Promise<readonly (EndedHold | undefined)[]> {
  const given = ends.map((end, n) => ({
    n,
    id: end.id,
    holder: end.holder,
    state: end.state,
    charge: end.charge === undefined ? null : String(end.charge),
    outcome: end.outcome ?? null,
    estimated: end.estimated ?? null,
  }))
  const { rows } = await sql<Row>`select * from budgets_end(${JSON.stringify(given)}::jsonb)`.execute(
    tx.tables<BudgetsTables>(),
  )
  const byNumber = new Map(rows.map((row) => [row.n, row]))
  return ends.map((_, n) => byNumber.get(n))
}

/** Charges holds whose lease has ended, each in full (B2). Returns their number. */
export async function expireHolds(tx: Tx, most: number): Promise<number> {
  const { rows } = await sql<{ id: string }>`select id from budgets_holds
    where state = 'open' and expires_at <= clock_timestamp() order by id limit ${most} for update skip locked`.execute(
    tx.tables<BudgetsTables>(),
  )
  if (rows.length === 0) return 0
  await writeEnds(
    tx,
    rows.map(({ id }) => ({ id, holder: undefined, state: 'expired', charge: undefined })),
  )
  return rows.length
}

/**
 * Extends leases that have not ended. Returns the holds that pay for their calls: extended ones, and ones that a gateway has settled, whose responses
 * may still be read.
 */
export async function extendLeases(
  tx: Tx,
  { ids, holder, leaseSeconds }: { ids: readonly string[]; holder: string; leaseSeconds: number },
): Promise<readonly { readonly id: string; readonly expires_at: Date }[]> {
  const { rows } = await sql<{ id: string; expires_at: Date }>`
    with extended as (
      update budgets_holds set expires_at = clock_timestamp() + make_interval(secs => ${leaseSeconds})
      where id = any(${[...ids]}::uuid[]) and holder = ${holder} and state = 'open' and expires_at > clock_timestamp()
      returning id, expires_at)
    select id, expires_at from extended union all
    select id, expires_at from budgets_holds where id = any(${[...ids]}::uuid[]) and holder = ${holder}
      and claimed_at is not null and state in ('settled', 'released')`.execute(tx.tables<BudgetsTables>())
  return rows
}

/** Removes accounts without open holds whose window ended before the retention, and those of caps that are older. Returns their number. */
export async function removePastAccounts(tx: Tx, retentionDays: number, most: number): Promise<number> {
  // No window is longer than a month; `total` never ends, but the id of its cap begins with a time.
  const before = sql`clock_timestamp() - make_interval(days => ${retentionDays + 31})`
  const id = sql`lpad(to_hex((extract(epoch from ${before}) * 1000)::bigint), 12, '0')`
  const { numAffectedRows } = await sql`delete from budgets_accounts where id in (select id from budgets_accounts
    where held = 0 and (
      (spend_window <> 'total' and window_start < ${before})
      or (spend_window = 'total' and starts_with(owner, 'Cap/') and replace(substr(owner, 5, 13), '-', '') < ${id}))
    limit ${most} for update skip locked)`.execute(tx.tables<BudgetsTables>())
  return Number(numAffectedRows ?? 0n)
}

/** Removes holds that ended longer ago than the retention. Returns their number. */
export async function removeEnded(tx: Tx, retentionDays: number, most: number): Promise<number> {
  const { numAffectedRows } = await sql`delete from budgets_holds where id in (select id from budgets_holds
    where ended_at < clock_timestamp() - make_interval(days => ${retentionDays}) limit ${most})`.execute(
    tx.tables<BudgetsTables>(),
  )
  return Number(numAffectedRows ?? 0n)
}
