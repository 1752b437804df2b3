import { createHash } from 'node:crypto'
import { canonicalJson } from '#core/json/canonical-json.ts'

/** Hash of a JSON value, independent of the order of keys: ten characters of a-z and 2-7, valid at the end of a name. */
export function stableHash(value: unknown): string {
  const digest = createHash('sha256').update(canonicalJson(value)).digest()
  return Array.from(digest.subarray(0, 10), (byte) => 'abcdefghijklmnopqrstuvwxyz234567'[byte % 32]).join('')
}
