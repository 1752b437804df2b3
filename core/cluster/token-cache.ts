import { hash } from 'node:crypto'
import { msUntilExpiry } from './token-claims.ts'

/** Lifetimes of cached entries in milliseconds of `now`, and the maximum number. */
export interface TokenCacheOptions {
  readonly ttlMs: number
  readonly now: () => number
  /** Unix milliseconds, for the expiry of tokens; default: the clock. */
  readonly date?: () => number
  readonly max?: number
  /** Whether an error means that the token is invalid; such an error is cached for `REJECTED_TTL_MS`. */
  readonly isRejection?: (error: unknown) => boolean
}

/** Lifetime of a cached rejection. Short, since a token may become valid. */
const REJECTED_TTL_MS = 2_000

// Exempts a token from the limits for unknown ones. Not a proof: the cluster authenticates it again.
const ACCEPTED_TTL_MS = 600_000

/**
 * Caches the identity of a token for a short time, never its permissions (D1). Keys are the SHA-256 of the whole token, so that no prefix
 * collides and no token is kept in memory. An entry ends with its token. Failures other than rejections are not cached; concurrent calls
 * share one request.
 */
export function createTokenCache<Value>(options: TokenCacheOptions) {
  const { max = 10_000, date = Date.now } = options
  const entries = createAging<Promise<Value>>(max)
  // Separate maps: invalid tokens are unlimited in number and must not displace valid ones.
  const rejections = createAging<unknown>(max)
  const accepted = createAging<true>(max)
  const load = async (key: string, token: string, ask: () => Promise<Value>): Promise<Value> => {
    const value = ask()
    const lifetime = Math.min(options.ttlMs, msUntilExpiry(token, date()))
    entries.set(key, value, options.now() + lifetime, options.now())
    try {
      const loaded = await value
      accepted.set(key, true, options.now() + ACCEPTED_TTL_MS, options.now())
      return loaded
    } catch (error) {
      entries.drop(key, value)
      if (options.isRejection?.(error) === true)
        rejections.set(key, error, options.now() + REJECTED_TTL_MS, options.now())
      throw error
    }
  }
  const get = async (token: string, scope: string, ask: () => Promise<Value>): Promise<Value> => {
    const key = digest(token, scope)
    const known = entries.get(key, options.now())
    if (known !== undefined) return known
    const rejection = rejections.get(key, options.now())
    if (rejection !== undefined) throw rejection
    return load(key, token, ask)
  }
  /** Whether the token was accepted within the last ten minutes, or a cached result exists. */
  const isKnown = (token: string, scope: string): boolean => {
    const key = digest(token, scope)
    return accepted.get(key, options.now()) === true || rejections.get(key, options.now()) !== undefined
  }
  return Object.assign(get, { isKnown })
}

function digest(token: string, scope: string): string {
  return hash('sha256', `${token}\0${scope}`, 'base64')
}

/** A bounded map. Entries are dropped in the order of their insertion, which is that of their expiry unless a token expires early. */
function createAging<Value>(max: number) {
  const entries = new Map<string, { readonly value: Value; readonly expires: number }>()
  return {
    get: (key: string, now: number): Value | undefined => {
      const known = entries.get(key)
      return known !== undefined && known.expires > now ? known.value : undefined
    },
    set: (key: string, value: Value, expires: number, now: number): void => {
      entries.delete(key)
      for (const [old, entry] of entries) {
        if (entry.expires > now && entries.size < max) break
        entries.delete(old)
      }
      entries.set(key, { value, expires })
    },
    /** Removes an entry unless another value has replaced it. */
    drop: (key: string, value: Value): void => {
      if (entries.get(key)?.value === value) entries.delete(key)
    },
  }
}
