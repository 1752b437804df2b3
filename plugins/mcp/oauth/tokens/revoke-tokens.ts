import { NotOpenable } from '#core/signing/sealed.ts'
import type { SelectedGrant } from '../../contract/tables.ts'
import { revokeToken } from '../server/authorization-calls.ts'
import type { GrantServices } from '../server/grant-services.ts'
import { openTokens } from './grant-secret.ts'

/** Revokes the tokens of a removed grant at their server. */
export async function revokeUpstream(services: GrantServices, grant: SelectedGrant): Promise<void> {
  const secret = openOrUndefined(services, grant)
  if (secret === undefined) return
  const { issuer, accessToken, refreshToken } = secret
  // The refresh token first: it could make others.
  const isRevoked =
    refreshToken === undefined || (await revokeToken(services, issuer, { token: refreshToken, hint: 'refresh_token' }))
  const isWhole = (await revokeToken(services, issuer, { token: accessToken, hint: 'access_token' })) && isRevoked
  if (!isWhole) services.log.warn({ grant: grant.id, issuer: grant.issuer }, 'tokens not revoked at their server')
}

function openOrUndefined({ sealed }: GrantServices, grant: SelectedGrant) {
  try {
    return openTokens(sealed, grant)
  } catch (error) {
    if (error instanceof NotOpenable) return undefined
    throw error
  }
}
