import { Fail } from '#core/errors/domain-error.ts'

/** Days from `from` to `to`, both included: `YYYY-MM-DD` in UTC. */
export interface Period {
  readonly from: string
  readonly to: string
}

const DAY_MS = 86_400_000
/** Maximum period of one request, in days. */
export const MAX_DAYS = 400

/**
 * Period of a query; by default the month of `to` until `to`, which is today. Throws `invalid_query` for a day that does not exist, and for an
 * empty or too long period.
 */
export function parsePeriod(query: { readonly from?: string; readonly to?: string }, now: Date): Period {
  const to = query.to === undefined ? toDay(now.getTime()) : parseDay('?to', query.to)
  const from = query.from === undefined ? `${to.slice(0, 8)}01` : parseDay('?from', query.from)
  if (from > to) throw refuse('?to', `must not be before from (${from})`)
  if (daysOf({ from, to }) > MAX_DAYS) throw refuse('?from', `must be at most ${MAX_DAYS} days before to (${to})`)
  return { from, to }
}

/** Number of days of a period. */
export function daysOf({ from, to }: Period): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
}

/** The period of the same length that ends before another begins. */
export function periodBefore(period: Period): Period {
  return { from: addDays(period.from, -daysOf(period)), to: addDays(period.from, -1) }
}

/** The day some days after another, or before it. */
export function addDays(day: string, count: number): string {
  return toDay(Date.parse(day) + count * DAY_MS)
}

/** Last day of the month of a day. */
export function endOfMonth(day: string): string {
  const [year = 0, month = 0] = day.split('-').map(Number)
  return toDay(Date.UTC(year, month, 0))
}

/** Day of a time in UTC. */
export function toDay(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10)
}

function parseDay(pointer: string, text: string): string {
  if (isDay(text)) return text
  const [, day = ''] = /^(\d{4}-\d\d-\d\d)[Tt ]\d/.exec(text) ?? []
  throw refuse(pointer, `must be a day as YYYY-MM-DD, from 1970-01-01 on${isDay(day) ? `; write ${day}` : ''}`)
}

function isDay(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  // `Date.parse` reads 30 February as 2 March.
  return !Number.isNaN(time) && toDay(time) === text && text >= '1970'
}

function refuse(pointer: string, detail: string): Fail {
  return new Fail('invalid_query', `${pointer.slice(1)} ${detail}.`, { errors: [{ pointer, detail }] })
}
