import { createHash } from 'node:crypto'

/**
 * Remembers what a token *is* for a short while, never what it may do (D1). Keys are the SHA-256 of the whole token, so that
 * no prefix can collide and no token is held. A failure is not remembered; calls at the same moment share one.
 */
export function createTokenCache<Value>(options: {
  readonly ttlMs: number
  readonly now: () => number
  readonly max?: number
}) {
  const entries = new Map<string, { readonly value: Promise<Value>; readonly expires: number }>()
  const max = options.max ?? 10_000
  return async (token: string, scope: string, load: () => Promise<Value>): Promise<Value> => {
    const key = createHash('sha256').update(token).update('\0').update(scope).digest('base64')
    const now = options.now()
    const known = entries.get(key)
    if (known !== undefined && known.expires > now) return known.value
    // Insertion order is expiry order, since every entry lives equally long.
    for (const [old, entry] of entries) {
      if (entry.expires > now && entries.size < max) break
      entries.delete(old)
    }
    const value = load()
    entries.delete(key)
    entries.set(key, { value, expires: now + options.ttlMs })
    try {
      return await value
    } catch (error) {
      if (entries.get(key)?.value === value) entries.delete(key)
      throw error
    }
  }
}
