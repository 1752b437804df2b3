import { durationToMs } from '#schemas/values/duration.ts'
import { refuseParameter } from '../read/run-filter.ts'
import { fittingBin, isBinWidth } from './bins.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
/** Ten years with leap days. */
const MAX_MS = 3660 * DAY_MS
const MAX_BINS = 500

/** Parameters that select a window and its bins. */
export interface WindowQuery {
  readonly from?: string
  readonly to?: string
  readonly interval?: string
  readonly bins?: number
}

/** Window of statistics in milliseconds since 1970, and the width of its bins in seconds. */
export interface StatsWindow {
  readonly from: number
  readonly to: number
  readonly binSeconds: number | undefined
}

/** The window of a query: by default the day before `to`, which is now. Throws `invalid_query`. */
export function parseWindow({ from: first, to: last, interval, bins }: WindowQuery, now: Date): StatsWindow {
  const to = last === undefined ? now.getTime() : Date.parse(last)
  const from = first === undefined ? to - DAY_MS : Date.parse(first)
  if (from >= to) throw refuseParameter('?to', 'must be after from')
  if (to - from > MAX_MS) throw refuseParameter('?from', 'must be at most 3660 days before to')
  if (interval !== undefined && bins !== undefined)
    throw refuseParameter('?bins', 'is in place of interval; give one of them')
  return { from, to, binSeconds: binOf((to - from) / 1000, interval, bins) }
}

function binOf(seconds: number, interval: string | undefined, bins: number | undefined): number | undefined {
  if (bins !== undefined) return fittingBin(seconds / bins)
  if (interval === undefined) return undefined
  const width = (durationToMs(interval) ?? 0) / 1000
  if (!isBinWidth(width))
    throw refuseParameter(
      '?interval',
      'must be 1m, 2m, 5m, 10m, 15m, 20m, 30m, 1h, 2h, 3h, 4h, 6h, 8h, 12h, or whole days such as 24h or 7d',
    )
  if (seconds / width > MAX_BINS)
    throw refuseParameter('?interval', `gives more than ${MAX_BINS} bins; choose a longer one`)
  return width
}

/** The window with its bounds moved outwards to full minutes. */
export function toMinutes({ from, to, ...rest }: StatsWindow): StatsWindow {
  return { ...rest, from: Math.floor(from / MINUTE_MS) * MINUTE_MS, to: Math.ceil(to / MINUTE_MS) * MINUTE_MS }
}

/** Starts of the bins of a window in seconds since 1970; the first one may begin before the window. */
export function binStarts({ from, to, binSeconds }: StatsWindow): readonly number[] {
  if (binSeconds === undefined) return []
  const first = Math.floor(from / 1000 / binSeconds)
  const end = Math.ceil(to / 1000 / binSeconds)
  return Array.from({ length: end - first }, (_, index) => (first + index) * binSeconds)
}
