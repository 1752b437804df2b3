/**
 * Types shared by the two halves of the embedded API server. The protocol half is storage, discovery, verbs and watch. The semantic half is
 * authentication, authorization, schemas, apply and patch, and is pure.
 */

/** Any JSON value. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json | undefined }

/** A JSON object; an absent optional key may be present as `undefined` and is dropped by serialisation. */
export type JsonObject = { [key: string]: Json | undefined }

/** True for a JSON object (neither null nor a list). */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Deep equality of JSON values; the order of keys and keys that are `undefined` do not count. */
export function equalJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => equalJson(item, b[i]))
  }
  if (!isObject(a) || !isObject(b)) return false
  const keys = Object.keys(a).filter((key) => a[key] !== undefined)
  const others = Object.keys(b).filter((key) => b[key] !== undefined)
  return keys.length === others.length && keys.every((key) => b[key] !== undefined && equalJson(a[key], b[key]))
}

/** The JSON type of a value, for messages. */
export function typeName(value: Json | undefined): string {
  if (Array.isArray(value)) return 'array'
  return value === null || value === undefined ? 'null' : typeof value
}

/** Sets an own property, also for the key `__proto__`. */
export function setKey(target: JsonObject, key: string, value: Json): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
  else target[key] = value
}

/** A string that is equal for two values exactly if `equalJson` holds; used to compare many values by a Set. */
export function equalityKey(value: Json | undefined): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(sortKeys(value)) : JSON.stringify(value ?? null)
}

/** A copy with the keys of every object sorted. */
export function sortKeys(value: Json | undefined): Json {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (!isObject(value)) return value ?? null
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sortKeys(item)]),
  )
}

/** The elements of a list that are objects. */
export function objectsOf(value: Json | undefined): { [key: string]: Json | undefined }[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** The elements of a list that are strings. */
export function stringsOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

/** The value if it is a string, otherwise ''. */
export function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
