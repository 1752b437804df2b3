import { UNKNOWN } from './unknown.ts'

const exact = new Intl.NumberFormat('en')
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** A count, also of tokens: exact below 10,000, then `12.8K`. */
export function toCount(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return UNKNOWN
  return Math.abs(value) < 10_000 ? exact.format(value) : compact.format(value)
}

/** A share of 1 in percent; success rates have one place. */
export function toPercent(share: number | null | undefined, places = 0): string {
  if (share === null || share === undefined || !Number.isFinite(share)) return UNKNOWN
  const rounded = (share * 100).toFixed(places)
  // A rate that is not whole is never shown as whole.
  if (share < 1 && Number(rounded) === 100) return `>${(100 - 10 ** -places).toFixed(places)} %`
  return `${rounded} %`
}

/** A change with its sign: `+8 %`, `−3.1 pt`, `±0 %`. */
export function toDelta(value: number, unit: string, places = 0): string {
  const size = Math.abs(value).toFixed(places)
  const sign = Number(size) === 0 ? '±' : value > 0 ? '+' : '−'
  return `${sign}${size} ${unit}`
}

const sizes = ['B', 'KB', 'MB', 'GB', 'TB']

/** A size of data, in steps of 1,024. */
export function toSize(bytes: number): string {
  const step = Math.min(sizes.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)))
  const value = bytes / 1024 ** step
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${sizes[step]}`
}
