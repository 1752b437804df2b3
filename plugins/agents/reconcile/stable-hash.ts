import { createHash } from 'node:crypto'

/** Hash of a JSON value, independent of the order of keys: ten characters of a-z and 2-7, valid at the end of a name. */
export function stableHash(value: unknown): string {
  const digest = createHash('sha256').update(stableJson(value)).digest()
  return Array.from(digest.subarray(0, 10), (byte) => 'abcdefghijklmnopqrstuvwxyz234567'[byte % 32]).join('')
}

/** JSON with sorted keys. */
export function stableJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}
