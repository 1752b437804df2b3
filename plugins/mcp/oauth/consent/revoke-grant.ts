import { Fail } from '#core/errors/domain-error.ts'
import { accountActor } from '#core/event-store/event.ts'
import { grantRevoked } from '../../contract/events.ts'
import type { McpTables } from '../../contract/tables.ts'
import { removeGrantsFor } from '../../store/grants.ts'
import { untilLeasesEnd } from '../tokens/leased-tokens.ts'
import { revokeUpstream } from '../tokens/revoke-tokens.ts'
import type { GrantServices } from '../server/grant-services.ts'
import { toGrantEvent } from './grant-event.ts'

/** The grants of a person for a server, by name. */
export interface RevokedGrant {
  readonly subject: string
  readonly namespace: string
  readonly server: string
}

/**
 * Revokes the grants of a person for a server: here, and at the authorization server, whether it responds or not (M-4). When it returns, no process uses
 * them.
 */
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
  const ended = untilLeasesEnd()
  for (const grant of removed) await revokeUpstream(services, grant)
  await ended
}
