import { isObject } from './is-object.ts'

/**
 * Canonical JSON text (RFC 8785): no white space, keys sorted by UTF-16 code units, numbers as ECMAScript writes them. Equal values have equal
 * texts, regardless of the order of their fields. Recursive: the depth must be bounded. Strings must be well-formed.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((part) => canonicalJson(part ?? null)).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  // Fields are joined as strings: JSON.stringify of an object writes keys that look like array indexes first.
  const fields = Object.keys(value)
    .toSorted()
    .filter((key) => value[key] !== undefined)
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`)
  return `{${fields.join(',')}}`
}
