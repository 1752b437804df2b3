import { UNKNOWN } from './unknown.ts'

const decimal = /^-?\d{1,30}(?:\.\d{1,30})?$/
/** Places to which sums are exact: those of the longest price. */
const PLACES = 30
/** Below the price of one token. */
const AXIS_PLACES = 12

/**
 * An amount, as the decimal string of the API: two places from one cent on, four below. An unknown amount is a dash; a currency that
 * `Intl` does not know follows the amount.
 */
export function toMoney(amount: string | null | undefined, currency: string): string {
  if (amount === null || amount === undefined || !decimal.test(amount)) return UNKNOWN
  const size = Math.abs(Number(amount))
  const least = size !== 0 && size < 0.0001
  const places = size === 0 || size >= 0.01 ? 2 : 4
  const shown = least ? (amount.startsWith('-') ? '-0.0001' : '0.0001') : amount
  return `${least ? '<' : ''}${formatOf(currency, places)(shown)}`
}

/** The labels of an axis: as many places for each as tell them apart. `String` writes a small number with an exponent. */
export function toMoneyTicks(ticks: readonly number[], currency: string): readonly string[] {
  const written = ticks.map((tick) => tick.toFixed(AXIS_PLACES).replace(/\.?0+$/, ''))
  const places = Math.max(2, ...written.map((one) => one.split('.')[1]?.length ?? 0))
  return written.map((one) => formatOf(currency, places)(one))
}

/** The sum of decimal strings; exact, since it never becomes a binary fraction. Unknown ones are left out: the caller says so. */
export function sumAmounts(amounts: readonly (string | null)[]): string {
  const known = amounts.filter((one): one is string => one !== null && decimal.test(one))
  const total = known.map(toUnits).reduce((sum, one) => sum + one, 0n)
  const digits = String(total < 0n ? -total : total).padStart(PLACES + 1, '0')
  const fraction = digits.slice(-PLACES).replace(/0+$/, '')
  return `${total < 0n ? '-' : ''}${digits.slice(0, -PLACES)}${fraction === '' ? '' : `.${fraction}`}`
}

function toUnits(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.replace('-', '').split('.')
  const units = BigInt(whole + fraction.padEnd(PLACES, '0'))
  return amount.startsWith('-') ? -units : units
}

function formatOf(currency: string, places: number): (amount: string) => string {
  const options = { minimumFractionDigits: places, maximumFractionDigits: places }
  try {
    const format = new Intl.NumberFormat('en', { ...options, style: 'currency', currency })
    return (amount) => format.format(amount as Intl.StringNumericLiteral)
  } catch {
    const format = new Intl.NumberFormat('en', options)
    return (amount) => `${format.format(amount as Intl.StringNumericLiteral)} ${currency}`
  }
}
