/** The time of the numbers: the last day, week or month. */
export type HomeRange = '24h' | '7d' | '30d'

const hours: Readonly<Record<HomeRange, number>> = { '24h': 24, '7d': 7 * 24, '30d': 30 * 24 }
const bins: Readonly<Record<HomeRange, number>> = { '24h': 24, '7d': 28, '30d': 30 }
const HOUR_MS = 3_600_000

/** The range of an address; the last day for anything else. */
export function toHomeRange(given: string | undefined): HomeRange {
  return given === '7d' || given === '30d' ? given : '24h'
}

/** Parameters of the statistics. The start is a full hour, so that the same numbers have the same key for an hour. */
export function windowOf(range: HomeRange, now: number): { readonly from?: string; readonly bins: number } {
  // The server's own default is the last day.
  if (range === '24h') return { bins: bins[range] }
  const start = Math.floor(now / HOUR_MS) * HOUR_MS - hours[range] * HOUR_MS
  return { from: new Date(start).toISOString(), bins: bins[range] }
}
