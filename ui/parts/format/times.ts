import { UNKNOWN } from './unknown.ts'

const steps: readonly (readonly [number, string])[] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
]

/** How long ago a time is: `now`, `18 s ago`, `7 min ago`, `4 h ago`, `3 d ago`; or how far ahead: `in 4 min`. */
export function toRelative(at: string | null | undefined, now: number): string {
  const time = parseTime(at)
  if (time === undefined) return UNKNOWN
  const seconds = Math.round((now - time) / 1000)
  if (Math.abs(seconds) < 5) return 'now'
  return seconds > 0 ? `${span(seconds)} ago` : `in ${span(-seconds)}`
}

/** How old something is, in a column of ages: `3 d`. */
export function toAge(at: string | null | undefined, now: number): string {
  const time = parseTime(at)
  return time === undefined ? UNKNOWN : span(Math.max(0, Math.round((now - time) / 1000)))
}

/** The exact time with its zone: `2026-11-24 14:00:13.868 UTC`. */
export function toExact(at: string | null | undefined, zone = 'UTC'): string {
  const time = parseTime(at)
  if (time === undefined) return UNKNOWN
  if (zone === 'UTC') return new Date(time).toISOString().replace('T', ' ').replace('Z', ' UTC')
  const format = new Intl.DateTimeFormat('sv', { ...exactParts, timeZone: zone })
  return `${format.format(time).replace(',', '.')} ${zone}`
}

const exactParts = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
} as const

const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** A day: `24 Nov`, in UTC. */
export function toDay(at: string | null | undefined): string {
  const time = parseTime(at)
  if (time === undefined) return UNKNOWN
  const parts = Object.fromEntries(day.formatToParts(time).map(({ type, value }) => [type, value]))
  return `${parts['day']} ${parts['month']}`
}

/** The time of a day in UTC: `14:00:13`. */
export function toClock(at: string | null | undefined): string {
  const time = parseTime(at)
  return time === undefined ? UNKNOWN : new Date(time).toISOString().slice(11, 19)
}

function span(seconds: number): string {
  const [size = 1, unit = 's'] = steps.find(([length]) => seconds >= length) ?? []
  return `${Math.floor(seconds / size)} ${unit}`
}

function parseTime(at: string | null | undefined): number | undefined {
  const time = typeof at === 'string' ? Date.parse(at) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}
