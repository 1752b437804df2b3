import { isObject } from './is-object.ts'

/**
 * Canonical JSON text (RFC 8785): no white space, keys sorted by UTF-16 code units, numbers as ECMAScript writes them. Equal values have equal
 * texts whatever the order in which their fields were written. Recursive: the depth must be bounded. Texts must be well-formed.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((part) => canonicalJson(part ?? null)).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  // Not an object with sorted keys: JSON.stringify writes keys that look like array indexes first.
  const fields = Object.keys(value)
    .toSorted()
    .filter((key) => value[key] !== undefined)
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`)
  return `{${fields.join(',')}}`
}
