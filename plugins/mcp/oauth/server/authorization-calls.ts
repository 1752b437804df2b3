import * as oauth from 'oauth4webapi'
import { OutboundError } from '#core/http-client/outbound-error.ts'
import type { Outbound } from '#core/http-client/outbound.ts'
import { guardedCalls } from './guarded-calls.ts'
import { libraryClient } from './oauth-client.ts'
import type { OAuthClient } from './oauth-client.ts'
import { toTokenSet } from './token-set.ts'
import type { TokenSet } from './token-set.ts'

/** An authorization server as tokens need it, and the client there. */
export interface TokenIssuer {
  readonly issuer: string
  readonly tokenEndpoint: string
  readonly revocationEndpoint?: string
  readonly client: OAuthClient
  /** Value of `resource` in each request (RFC 8707). */
  readonly resource: string
}

/** Why there are no tokens: refused for good, or a fault that may pass. The code is a word of the protocol; no other text of a server is kept. */
export class TokensRefused extends Error {
  override readonly name = 'TokensRefused'
  readonly isFinal: boolean
  readonly code: string | undefined
  constructor(message: string, { isFinal, code }: { readonly isFinal: boolean; readonly code?: string | undefined }) {
    super(message)
    this.isFinal = isFinal
    this.code = code
  }
}

/** Dependencies of calls to authorization servers. */
export interface AuthorizationCallOptions {
  readonly outbound: Pick<Outbound, 'request'>
  readonly now: () => Date
}

/** A code to be exchanged, and what proves that it was asked for here. */
export interface CodeToRedeem {
  readonly code: string
  readonly verifier: string
  readonly redirectUri: string
}

/** Exchanges a code for tokens. Throws `TokensRefused`. */
export async function redeemCode(
  { outbound, now }: AuthorizationCallOptions,
  issuer: TokenIssuer,
  { code, verifier, redirectUri }: CodeToRedeem,
): Promise<TokenSet> {
  const server = toLibraryServer(issuer)
  const { client, authentication } = libraryClient(issuer.client)
  return readOrRefuse(issuer, now, async () => {
    // Its other parameters were checked against the stored state.
    const parameters = oauth.validateAuthResponse(server, client, new URLSearchParams({ code }), oauth.expectNoState)
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authentication,
      parameters,
      redirectUri,
      verifier,
      { ...guardedCalls(outbound), additionalParameters: { resource: issuer.resource } },
    )
    return oauth.processAuthorizationCodeResponse(server, client, response)
  })
}

/** Refreshes tokens. Throws `TokensRefused`. */
export async function refreshTokens(
  { outbound, now }: AuthorizationCallOptions,
  issuer: TokenIssuer,
  refreshToken: string,
): Promise<TokenSet> {
  const server = toLibraryServer(issuer)
  const { client, authentication } = libraryClient(issuer.client)
  return readOrRefuse(issuer, now, async () => {
    const options = { ...guardedCalls(outbound), additionalParameters: { resource: issuer.resource } }
    const response = await oauth.refreshTokenGrantRequest(server, client, authentication, refreshToken, options)
    return oauth.processRefreshTokenResponse(server, client, response)
  })
}

const REVOKE_MS = 5_000

/** Revokes a token at its server (RFC 7009). Returns whether the server confirmed it. */
export async function revokeToken(
  { outbound }: Pick<AuthorizationCallOptions, 'outbound'>,
  issuer: TokenIssuer,
  { token, hint }: { readonly token: string; readonly hint: 'access_token' | 'refresh_token' },
): Promise<boolean> {
  if (issuer.revocationEndpoint === undefined) return false
  const { client, authentication } = libraryClient(issuer.client)
  const options = {
    ...guardedCalls(outbound, AbortSignal.timeout(REVOKE_MS)),
    additionalParameters: { token_type_hint: hint },
  }
  try {
    const response = await oauth.revocationRequest(toLibraryServer(issuer), client, authentication, token, options)
    await oauth.processRevocationResponse(response)
    return true
  } catch {
    return false
  }
}

function toLibraryServer({ issuer, tokenEndpoint, revocationEndpoint }: TokenIssuer): oauth.AuthorizationServer {
  return {
    issuer,
    token_endpoint: tokenEndpoint,
    ...(revocationEndpoint === undefined ? {} : { revocation_endpoint: revocationEndpoint }),
  }
}

async function readOrRefuse(
  { issuer }: TokenIssuer,
  now: () => Date,
  call: () => Promise<oauth.TokenEndpointResponse>,
): Promise<TokenSet> {
  const { host } = new URL(issuer)
  const response = await call().catch((error: unknown) => {
    throw toRefused(error, host)
  })
  const tokens = toTokenSet(response, now())
  if (tokens === undefined) throw new TokensRefused(`${host} returns no bearer token.`, { isFinal: true })
  return tokens
}

function toRefused(error: unknown, host: string): TokensRefused {
  if (error instanceof oauth.ResponseBodyError) {
    const code = /^[a-z_]{1,40}$/.test(error.error) ? error.error : undefined
    return new TokensRefused(`${host} returns no token${code === undefined ? '' : ` (${code})`}.`, {
      isFinal: error.status >= 400 && error.status < 500 && error.status !== 429,
      code,
    })
  }
  if (error instanceof OutboundError) return new TokensRefused(error.message, { isFinal: false })
  return new TokensRefused(`${host} does not respond as an authorization server.`, { isFinal: false })
}
