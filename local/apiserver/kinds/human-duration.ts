/** A span as kubectl prints ages: two units at most, coarser as it grows (`90s`, `5m12s`, `3h`, `12d`, `2y40d`). */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000)
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.trunc(seconds / 60)
  if (minutes < 10) return two(minutes, 'm', seconds % 60, 's')
  if (minutes < 180) return `${minutes}m`
  const hours = Math.trunc(minutes / 60)
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  const days = Math.trunc(hours / 24)
  if (hours < 192) return two(days, 'd', hours % 24, 'h')
  if (days < 730) return `${days}d`
  const years = Math.trunc(days / 365)
  return years < 8 ? two(years, 'y', days % 365, 'd') : `${years}y`
}

function two(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`
}

/** The age of a timestamp, as a table cell. */
export function ageOf(timestamp: unknown, now: Date): string {
  const then = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN
  return Number.isNaN(then) ? '<unknown>' : humanDuration(now.getTime() - then)
}
