/**
 * Returns the milliseconds from `at` (Unix milliseconds) until a JWT expires by its own claim `exp`; Infinity for any other token. Only the
 * cluster authenticates: the claim is not verified, and may only shorten the time for which an authentication is cached.
 */
export function msUntilExpiry(token: string, at: number): number {
  const parts = token.split('.')
  if (parts.length !== 3) return Infinity
  try {
    const { exp } = JSON.parse(Buffer.from(parts[1] ?? '', 'base64url').toString('utf8')) as { exp?: unknown }
    return typeof exp === 'number' ? Math.max(0, exp * 1000 - at) : Infinity
  } catch {
    return Infinity
  }
}
