import type { Sealed } from '#core/signing/sealed.ts'
import type { StoredTokens } from '../../store/grants.ts'
import type { SelectedGrant } from '../../contract/tables.ts'
import type { TokenIssuer } from '../server/authorization-calls.ts'
import type { TokenSet } from '../server/token-set.ts'

/** The tokens of a grant and where they are from, as they are sealed. */
export interface GrantSecret {
  readonly issuer: TokenIssuer
  readonly accessToken: string
  readonly refreshToken?: string
  readonly account?: string
}

type Owned = Pick<SelectedGrant, 'subject' | 'server_uid' | 'url'>

/** Seals tokens for the row of their grant. `before` are those that they replace: a server may keep its refresh token. */
export function sealTokens(sealed: Sealed, of: Owned, { tokens, issuer, scopes, before }: SealedTokens): StoredTokens {
  const refreshToken = tokens.refreshToken ?? before?.refreshToken
  const account = tokens.account ?? before?.account
  const secret: GrantSecret = {
    issuer,
    accessToken: tokens.accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(account === undefined ? {} : { account }),
  }
  return {
    sealed: sealed.seal(JSON.stringify(secret), bindingOf(of)),
    scopes: [...(tokens.scopes ?? scopes)],
    access_expires_at: tokens.expiresAt ?? null,
    is_refreshable: refreshToken !== undefined,
  }
}

/** Input of {@link sealTokens}. */
export interface SealedTokens {
  readonly tokens: TokenSet
  readonly issuer: TokenIssuer
  /** Scopes that hold if the server names none. */
  readonly scopes: readonly string[]
  readonly before?: GrantSecret
}

/** Opens the tokens of a grant. Throws `NotOpenable`. */
export function openTokens(sealed: Sealed, grant: Owned & Pick<SelectedGrant, 'sealed'>): GrantSecret {
  return JSON.parse(sealed.open(grant.sealed, bindingOf(grant))) as GrantSecret
}

function bindingOf({ subject, server_uid: uid, url }: Owned) {
  return { purpose: 'mcp-grant', of: [subject, uid, url] }
}
