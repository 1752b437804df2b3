import { isObject } from '#core/json/is-object.ts'

/**
 * Claims of a JWT. Only the cluster authenticates. Claims are not verified here, so they may only shorten the time for which an authentication
 * is cached, or refuse a token that the cluster would refuse.
 */
function claimsOf(token: string): Readonly<Record<string, unknown>> | undefined {
  const parts = token.split('.')
  if (parts.length !== 3) return undefined
  try {
    const claims: unknown = JSON.parse(Buffer.from(parts[1] ?? '', 'base64url').toString('utf8'))
    return isObject(claims) ? claims : undefined
  } catch {
    return undefined
  }
}

/** Returns the milliseconds from `at` (Unix milliseconds) until a JWT expires by its own claim `exp`; Infinity for any other token. */
export function msUntilExpiry(token: string, at: number): number {
  const exp = claimsOf(token)?.['exp']
  return typeof exp === 'number' ? Math.max(0, exp * 1000 - at) : Infinity
}

// kube-apiserver accepts a service account token for as long after its expiry (go-jose), and clocks differ.
const LEEWAY_MS = 60_000

/** Whether a JWT has expired by its own claim, so that the cluster refuses it. */
export function hasExpired(token: string, at: number): boolean {
  return msUntilExpiry(token, at - LEEWAY_MS) === 0
}

/** Whether a token is one of a service account, issued for other audiences only. The cluster judges a token without the claim. */
export function isForOthers(token: string, audience: string): boolean {
  const { sub, aud } = claimsOf(token) ?? {}
  if (typeof sub !== 'string' || !sub.startsWith('system:serviceaccount:')) return false
  if (typeof aud === 'string') return aud !== audience
  return Array.isArray(aud) && aud.length > 0 && !aud.includes(audience)
}
