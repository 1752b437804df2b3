import type { SpendWindow } from '#plugins/budgets/contract/points.ts'

const HOUR_MS = 3_600_000

/** End of a window that begins at `start`, in UTC; undefined for one without an end. Pure. */
export function windowEnd(window: SpendWindow, start: Date): Date | undefined {
  if (window === 'total') return undefined
  if (window === 'month') return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1))
  const hours = { hour: 1, day: 24, week: 168 }[window]
  return new Date(start.getTime() + hours * HOUR_MS)
}
