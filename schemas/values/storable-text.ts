import { pointerToken } from './json-pointer.ts'

/** Whether PostgreSQL can store a string in UTF-8: it contains neither U+0000 nor a lone surrogate (PostgreSQL, 8.3 and 8.14). */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** The string with U+FFFD in place of each U+0000 and each lone surrogate; its length in UTF-16 units stays the same. */
export function toStorable(text: string): string {
  return isStorable(text) ? text : text.toWellFormed().replaceAll('\0', '\uFFFD')
}

/** As `toStorable`, for every string and key of a JSON value. Recursive: the depth of the value must be bounded. */
export function toStorableValue<T>(value: T): T
export function toStorableValue(value: unknown): unknown {
  if (typeof value === 'string') return toStorable(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((one: unknown) => toStorableValue(one))
  // fromEntries defines `__proto__` as its own property; an assignment would set the prototype.
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [toStorable(key), toStorableValue(child)]))
}

/** RFC 6901 pointer of the first string or key that is not storable, or undefined; for a key, the pointer of its object. */
export function findUnstorable(value: unknown, pointer = ''): string | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : pointer
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, child] of Object.entries(value)) {
    if (!isStorable(key)) return pointer
    const found = findUnstorable(child, `${pointer}/${pointerToken(key)}`)
    if (found !== undefined) return found
  }
  return undefined
}

/** Whether both JavaScript and PostgreSQL can represent a time: years 1 to 9999 in UTC. */
export function isStorableTime(milliseconds: number): boolean {
  return milliseconds >= MIN_TIME && milliseconds <= MAX_TIME
}

const MIN_TIME = Date.parse('0001-01-01T00:00:00Z')
const MAX_TIME = Date.parse('9999-12-31T23:59:59.999Z')
