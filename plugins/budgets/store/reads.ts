import { sql } from 'kysely'
import type { Reader } from '#core/event-store/store.ts'
import type { BudgetsTables } from '../contract/tables.ts'
import type { LiveUsage } from '../contract/api.ts'

/** Fields of a hold that a settlement needs. */
export interface HoldPrices {
  readonly currency: string | null
  readonly prices: unknown
}

/** Prices of holds of a holder, by id. */
export async function readPrices(
  db: Reader<BudgetsTables>,
  holder: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, HoldPrices>> {
  const rows = await db
    .selectFrom('budgets_holds')
    .select(['id', 'currency', 'prices'])
    .where('holder', '=', holder)
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .execute()
  return new Map(rows.map(({ id, currency, prices }) => [id, { currency, prices }]))
}

interface UsageRow {
  readonly owner: string
  readonly currency: string | null
  readonly spend_window: string | null
  readonly window_start: Date | null
  readonly spent: bigint | null
  readonly held: bigint | null
  readonly in_flight: number | null
  readonly recent: number | null
}

/** Reads the usage of owners, by owner. The rate of the last minute is weighted as in the admission of a call. */
export async function readOwnerUsage(
  db: Reader<BudgetsTables>,
  owners: readonly string[],
): Promise<ReadonlyMap<string, LiveUsage>> {
  const { rows } = await sql<UsageRow>`
    select o.owner, a.currency, a.spend_window, a.window_start, a.spent, a.held, b.in_flight,
      case when b.minute >= date_trunc('minute', clock_timestamp())
          then b.calls + b.calls_before * (60 - extract(second from clock_timestamp())::float8) / 60
        when b.minute = date_trunc('minute', clock_timestamp()) - interval '1 minute'
          then b.calls * (60 - extract(second from clock_timestamp())::float8) / 60
        else 0 end::float8 as recent
    from unnest(${[...owners]}::text[]) as o(owner)
    left join budgets_accounts a on a.owner = o.owner
      and a.window_start = budgets_window_start(a.spend_window, clock_timestamp())
    left join budgets_rates b on b.owner = o.owner`.execute(db)
  return new Map(owners.map((owner) => [owner, toUsage(rows.filter((row) => row.owner === owner))]))
}

function toUsage(rows: readonly UsageRow[]): LiveUsage {
  const accounts = rows.flatMap(({ currency, spend_window: window, window_start: windowStart, spent, held }) =>
    currency === null || window === null || windowStart === null || spent === null || held === null
      ? []
      : [{ currency, window, windowStart, spent, held }],
  )
  const [first] = rows
  return { accounts, inFlight: first?.in_flight ?? 0, requestsLastMinute: Math.ceil(first?.recent ?? 0) }
}
