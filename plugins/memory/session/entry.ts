import { pointerToken } from '#schemas/values/json-pointer.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { canonicalJson } from '#core/json/canonical-json.ts'

/** Maximum entry size: the body limit of an append. */
export const MAX_ENTRY_BYTES = 256 * 1024

/** Canonical JSON (RFC 8785) of an entry. Throws `invalid_body` for a number that is not a double. The depth of the value must be bounded. */
export function toEntry(value: unknown): string {
  const at = findInfinite(value, '/entry')
  if (at !== undefined)
    throw new Fail('invalid_body', undefined, {
      errors: [{ pointer: at.slice(0, 256), detail: 'must be a number that a double can hold' }],
    })
  return canonicalJson(value)
}

/** Pointer of the first number that overflowed when it was parsed. JSON has no infinite number: it would be stored as null. */
function findInfinite(value: unknown, pointer: string): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : pointer
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, child] of Object.entries(value)) {
    const found = findInfinite(child, `${pointer}/${pointerToken(key)}`)
    if (found !== undefined) return found
  }
  return undefined
}
