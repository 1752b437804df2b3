/** Micro-units of one unit of a currency. */
const UNIT = 1_000_000n

/** Maximum amount that the ledger accepts: sums of a few stay below 2^63. */
export const MAX_MICROS = 1_000_000_000_000_000_000n

/** Converts decimal strings with at most six places to micro-units. Throws for any other string. */
export function parseMicros(text: string): bigint {
  const [, whole, places = ''] = /^([0-9]{1,12})(?:\.([0-9]{1,6}))?$/.exec(text) ?? []
  if (whole === undefined) throw new RangeError('an amount must be a decimal string with at most six places')
  return BigInt(whole) * UNIT + BigInt(places.padEnd(6, '0'))
}

/** Converts micro-units to a decimal string without trailing zeros: `0.00125`. */
export function formatMicros(micros: bigint): string {
  const sign = micros < 0n ? '-' : ''
  const size = micros < 0n ? -micros : micros
  let places = (size % UNIT).toString().padStart(6, '0')
  while (places.endsWith('0')) places = places.slice(0, -1)
  return `${sign}${size / UNIT}${places === '' ? '' : `.${places}`}`
}
