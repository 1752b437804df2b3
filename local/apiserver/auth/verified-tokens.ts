import type { JsonObject } from '../json/json-value.ts'
import { verifyToken } from './jwt.ts'
import type { IssuerKey } from './jwt.ts'

/** Returns the claims of a token of this issuer, or undefined. `digest` identifies the token; `seconds` is the current Unix time. */
export type ReadClaims = (token: string, digest: string, seconds: number) => Promise<JsonObject | undefined>

/** Maximum number of remembered tokens; the least recently used one is dropped. */
const MOST = 4_096

/**
 * Verifies the signature of a token once (1.2 ms) and remembers its claims by the digest of the token until it expires. Expiry, audience and
 * bound objects are checked at every request, as in kube-apiserver.
 */
export function createClaimsReader(key: IssuerKey, most = MOST): ReadClaims {
  const verified = new Map<string, JsonObject>()
  return async (token, digest, seconds) => {
    const known = verified.get(digest)
    verified.delete(digest)
    const claims = known ?? (await verifyToken(token, key))
    // Without a valid `exp`, the entry would never expire.
    if (claims === undefined || !(Number(claims['exp']) > seconds)) return claims
    const [oldest] = verified.keys()
    if (verified.size >= most && oldest !== undefined) verified.delete(oldest)
    verified.set(digest, claims)
    return claims
  }
}
