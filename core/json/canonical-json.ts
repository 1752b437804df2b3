import { isObject } from './is-object.ts'

/** JSON text with sorted keys, so that equal values have equal texts whatever the order in which their fields were written. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1))) : part,
  )
}
