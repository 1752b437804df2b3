import { Fail } from '#core/errors/domain-error.ts'
import { accountActor } from '#core/event-store/event.ts'
import { NotOpenable } from '#core/signing/sealed.ts'
import { grantRevoked } from '../../contract/events.ts'
import type { McpTables, SelectedGrant } from '../../contract/tables.ts'
import { removeGrantsFor } from '../../store/grants.ts'
import { revokeToken } from '../server/authorization-calls.ts'
import { openTokens } from '../tokens/grant-secret.ts'
import type { GrantServices } from '../server/grant-services.ts'
import { toGrantEvent } from './grant-event.ts'

/** The grants of a person for a server, by name. */
export interface RevokedGrant {
  readonly subject: string
  readonly namespace: string
  readonly server: string
}

/** Revokes the grants of a person for a server: here at once, and then at the authorization server, whether it answers or not (M-4). */
export async function revokeGrant(services: GrantServices, key: RevokedGrant): Promise<void> {
  const removed = await services.store.transact(async (tx) => {
    const grants = await removeGrantsFor(tx.tables<McpTables>(), key)
    const actor = accountActor(key.subject)
    for (const grant of grants)
      await tx.append(`mcp/${grant.id}`, 'any', [{ ...toGrantEvent(grant), type: grantRevoked, actor }])
    return grants
  })
  if (removed.length === 0)
    throw new Fail('not_found', `The caller has no grant for the MCP server ${key.namespace}/${key.server}.`)
  for (const grant of removed) await revokeUpstream(services, grant)
}

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
