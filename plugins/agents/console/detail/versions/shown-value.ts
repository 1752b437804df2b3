/** A value of a spec as text: a string as it is, everything else as JSON. Pure. */
export function toShownValue(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
}
