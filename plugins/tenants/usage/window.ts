import type { SpendWindow } from '#plugins/budgets/contract/points.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const lengths = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS }

// 1970-01-05, a Monday: weeks begin as in `date_trunc` of PostgreSQL.
const FIRST_MONDAY_MS = 4 * DAY_MS

/** The window of the ledger in UTC that contains `at`; undefined for `total`, which has no start or end. Pure. */
export function windowAt(window: SpendWindow, at: Date): { readonly start: Date; readonly end: Date } | undefined {
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
