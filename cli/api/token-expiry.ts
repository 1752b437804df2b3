import { isObject } from '#core/json/is-object.ts'

/** When a JWT expires, from its unverified claims; undefined for any other token. */
export function expiryOf(token: string): Date | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
    if (!isObject(claims) || typeof claims.exp !== 'number') return undefined
    const expiry = new Date(claims.exp * 1_000)
    return Number.isNaN(expiry.getTime()) ? undefined : expiry
  } catch {
    return undefined
  }
}
