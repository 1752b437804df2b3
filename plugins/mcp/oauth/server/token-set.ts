import { createHash } from 'node:crypto'
import type * as oauth from 'oauth4webapi'
import { isObject } from '#core/json/is-object.ts'
import { toScopes } from '../discovery/challenge.ts'

/** Tokens of a person for one resource. */
export interface TokenSet {
  readonly accessToken: string
  readonly refreshToken: string | undefined
  /** Undefined: the server names no scopes, so those that were asked for hold. */
  readonly scopes: readonly string[] | undefined
  readonly expiresAt: Date | undefined
  /** Hash of the account at the authorization server, as far as the tokens say. */
  readonly account: string | undefined
}

const MAX_SECONDS = 10 * 365 * 86_400
const TOKEN = /^[\x21-\x7e]{1,8192}$/

/** The tokens of a response; undefined for one that cannot be sent in a header. */
export function toTokenSet(response: oauth.TokenEndpointResponse, now: Date): TokenSet | undefined {
  const {
    access_token: accessToken,
    refresh_token: refreshToken,
    token_type: type,
    scope,
    expires_in: seconds,
  } = response
  if (type.toLowerCase() !== 'bearer' || !TOKEN.test(accessToken)) return undefined
  if (refreshToken !== undefined && !TOKEN.test(refreshToken)) return undefined
  return {
    accessToken,
    refreshToken,
    scopes: scope === undefined ? undefined : toScopes(scope),
    expiresAt: seconds === undefined ? undefined : endOf(seconds, now),
    account: accountOf(response.id_token) ?? accountOf(accessToken),
  }
}

function endOf(seconds: number, now: Date): Date {
  return new Date(now.getTime() + Math.min(Math.max(seconds, 0), MAX_SECONDS) * 1_000)
}

// Unverified: it only shows that a refresh returned the token of another account.
function accountOf(token: string | undefined): string | undefined {
  const [, payload = '', signature] = token?.split('.') ?? []
  if (signature === undefined) return undefined
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString())
    if (!isObject(claims) || typeof claims['sub'] !== 'string') return undefined
    return createHash('sha256').update(claims['sub']).digest('base64url')
  } catch {
    return undefined
  }
}
