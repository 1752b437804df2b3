import { formatMicros } from '#schemas/values/money.ts'
import type { Spending } from '#schemas/api/tenants.ts'
import type { SpendLimit, SpendWindow } from './points.ts'

/** Money of an owner in one window. */
export interface SpendAccount {
  readonly currency: string
  readonly window: string
  readonly windowStart: Date
  readonly spent: bigint
  readonly held: bigint
}

/** Money of the current window of a limit. Pure. */
export function toSpending(
  { amount: limit, currency, window }: SpendLimit,
  usage: { readonly accounts: readonly SpendAccount[] } | undefined,
  now: Date,
): Spending {
  const account = usage?.accounts.find((one) => one.currency === currency && one.window === window)
  const { spent = 0n, held = 0n } = account ?? {}
  // A window without a charge has no account yet.
  const at = windowAt(window, account?.windowStart ?? now)
  return {
    currency,
    window,
    spent: formatMicros(spent),
    held: formatMicros(held),
    limit: formatMicros(limit),
    // Costs beyond a hold, and a lowered limit, may make the remaining amount negative.
    remaining: formatMicros(limit > spent + held ? limit - spent - held : 0n),
    windowStart: at?.start.toISOString() ?? null,
    resetsAt: at?.end.toISOString() ?? null,
  }
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const lengths = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS }

// 1970-01-05, a Monday: weeks begin as in `date_trunc` of PostgreSQL.
const FIRST_MONDAY_MS = 4 * DAY_MS

/** The window of the ledger in UTC that contains `at`; undefined for `total`, which has no start or end. Pure. */
function windowAt(window: SpendWindow, at: Date): { readonly start: Date; readonly end: Date } | undefined {
  if (window === 'total') return undefined
  if (window === 'month') {
    const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()]
    return { start: new Date(Date.UTC(year, month, 1)), end: new Date(Date.UTC(year, month + 1, 1)) }
  }
  const length = lengths[window]
  const since = at.getTime() - (window === 'week' ? FIRST_MONDAY_MS : 0)
  const start = at.getTime() - (since % length)
  return { start: new Date(start), end: new Date(start + length) }
}
