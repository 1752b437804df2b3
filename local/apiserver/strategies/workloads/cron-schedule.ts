const MACRO = /^@(yearly|annually|monthly|weekly|daily|midnight|hourly|every \d[\dhmsuµn.]*)$/
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

interface Field {
  readonly name: string
  readonly least: number
  readonly most: number
  readonly words: readonly string[]
}

const FIELDS: readonly Field[] = [
  { name: 'minute', least: 0, most: 59, words: [] },
  { name: 'hour', least: 0, most: 23, words: [] },
  { name: 'day of month', least: 1, most: 31, words: [] },
  { name: 'month', least: 1, most: 12, words: MONTHS },
  { name: 'day of week', least: 0, most: 6, words: DAYS },
]

/** Why a schedule in cron format is refused; undefined when it can be used. */
export function scheduleFault(schedule: string): string | undefined {
  if (schedule.includes('TZ')) return 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'
  if (MACRO.test(schedule)) return undefined
  const parts = schedule.trim().split(/\s+/)
  if (parts.length !== FIELDS.length) return `expected exactly ${FIELDS.length} fields, found ${parts.length}`
  for (const [i, field] of FIELDS.entries()) {
    const bad = (parts[i] ?? '').split(',').find((range) => !isRange(range, field))
    if (bad !== undefined) return `${JSON.stringify(bad)} is not a valid ${field.name}`
  }
  return undefined
}

function isRange(text: string, field: Field): boolean {
  const [range = '', step, ...more] = text.split('/')
  if (more.length > 0 || (step !== undefined && !/^[1-9]\d{0,8}$/.test(step))) return false
  if (range === '*' || range === '?') return true
  const [first = '', last = first, ...rest] = range.split('-')
  const [from, to] = [valueOf(first, field), valueOf(last, field)]
  return rest.length === 0 && from !== undefined && to !== undefined && from <= to
}

function valueOf(text: string, { least, most, words }: Field): number | undefined {
  const word = words.indexOf(text.toLowerCase())
  if (word >= 0) return word + least
  if (!/^\d{1,3}$/.test(text)) return undefined
  const value = Number(text)
  return value >= least && value <= most ? value : undefined
}

/** Why a time zone is refused; undefined when it is known. */
export function timeZoneFault(zone: string): string | undefined {
  if (zone === '') return 'timeZone must be nil or non-empty string'
  if (zone.toLowerCase() === 'local')
    return 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'
  const isWritten = zone
    .split('/')
    .every((part) => /^[A-Za-z._0-9+][A-Za-z._0-9+-]{0,13}$/.test(part) && !/^\.\.?$/.test(part))
  return isWritten && /^[A-Za-z]/.test(zone) && isKnownZone(zone) ? undefined : `unknown time zone ${zone}`
}

function isKnownZone(timeZone: string): boolean {
  try {
    return Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
