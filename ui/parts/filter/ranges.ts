/** A range of time, as the address has it: relative ones stay relative. */
export interface TimeSpan {
  /** `6h`, or the first instant in ISO 8601. */
  readonly from: string
  /** The last instant in ISO 8601; absent for a relative range, which ends now. */
  readonly to?: string | undefined
}

/** Ranges to choose, by their value in the address. */
export const presets = ['1h', '6h', '24h', '7d', '30d'] as const

const units: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000 }
const relative = /^(\d{1,3})([hd])$/

/** The instants of a range, for a request. Undefined for what is no range, as an address may have. */
export function toInstants(
  { from, to }: TimeSpan,
  now: number,
): { readonly from: string; readonly to?: string } | undefined {
  const [, count, unit = ''] = relative.exec(from) ?? []
  if (count !== undefined && Number(count) > 0)
    return { from: new Date(now - Number(count) * (units[unit] ?? 0)).toISOString() }
  const [start, end] = [Date.parse(from), Date.parse(to ?? '')]
  if (Number.isNaN(start)) return undefined
  if (to === undefined) return { from: new Date(start).toISOString() }
  return Number.isNaN(end) || end <= start
    ? undefined
    : { from: new Date(start).toISOString(), to: new Date(end).toISOString() }
}

/** Whether a range is one of the presets, or reads like one. */
export function isRelative({ from }: TimeSpan): boolean {
  return relative.test(from)
}

/** The value of a field `datetime-local`, read as UTC; undefined for an empty or a broken one. */
export function fromField(value: string): string | undefined {
  const time = Date.parse(`${value}Z`)
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

/** An instant as a field `datetime-local` has it, in UTC. */
export function toField(at: string | undefined): string {
  const time = Date.parse(at ?? '')
  return Number.isNaN(time) ? '' : new Date(time).toISOString().slice(0, 16)
}
