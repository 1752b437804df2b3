import { OAUTH_CLIENT_PATH } from '#core/http/console/oauth-paths.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { Store } from '#core/event-store/store.ts'
import type { Outbound } from '#core/http-client/outbound.ts'
import { NotOpenable } from '#core/signing/sealed.ts'
import type { Sealed } from '#core/signing/sealed.ts'
import type { McpServerObject } from '#schemas/crds/mcp-server.ts'
import { mcpErrors } from '../../contract/errors.ts'
import type { McpTables } from '../../contract/tables.ts'
import { findClientRow, saveClientRow } from '../../store/oauth-clients.ts'
import type { ClientKey } from '../../store/oauth-clients.ts'
import type { KnownServer } from '../discovery/authorization-server.ts'
import { configuredClientOf, findClientSecret } from '../server/configured-clients.ts'
import type { ConfiguredClient } from '../server/configured-clients.ts'
import { unusable } from '../discovery/document.ts'
import { registerClient } from '../server/register-client.ts'
import { secretMethodFor } from '../server/oauth-client.ts'
import type { OAuthClient } from '../server/oauth-client.ts'

/** Dependencies. */
export interface FindClientOptions {
  readonly store: Pick<Store, 'reader' | 'transact'>
  readonly sealed: Sealed
  readonly outbound: Pick<Outbound, 'request'>
}

/** A server, its authorization server, and where that redirects to. */
export interface ClientUse {
  readonly server: McpServerObject
  readonly at: KnownServer
  readonly redirectUri: string
}

/**
 * The client of this installation at an authorization server: the configured one with or without a secret, the address of its document of metadata, or one that is
 * registered. Each server has its own registration, since a re-created one inherits nothing (M-4).
 */
export async function findClient(options: FindClientOptions, use: ClientUse): Promise<OAuthClient> {
  const { server, at, redirectUri } = use
  const { clientId } = server.spec.auth ?? {}
  const confidential = configuredClientOf(server)
  if (confidential !== undefined) return findConfidential(options, confidential, at)
  if (clientId !== undefined) return { id: clientId, method: 'none' }
  if (at.client_id_metadata_document_supported === true && redirectUri.startsWith('https:'))
    return { id: new URL(OAUTH_CLIENT_PATH, redirectUri).href, method: 'none' }
  const key = { serverUid: server.metadata.uid ?? '', issuer: at.issuer, redirectUri }
  const known = await findRegistered(options, key)
  if (known !== undefined) return known
  if (at.registration_endpoint === undefined)
    throw new Fail(
      mcpErrors.grant_client_missing,
      `${new URL(at.issuer).host} registers no clients: set spec.auth.clientId to one with the redirect address ${redirectUri}.`,
    )
  const { client, expiresAt } = await registerClient(options.outbound, at, redirectUri)
  const row = { sealed: options.sealed.seal(JSON.stringify(client), bindingOf(key)), expiresAt }
  await options.store.transact((tx) => saveClientRow(tx.tables<McpTables>(), key, row))
  return client
}

async function findConfidential(
  options: FindClientOptions,
  client: ConfiguredClient,
  at: KnownServer,
): Promise<OAuthClient> {
  const method = secretMethodFor(at)
  if (method === undefined) throw unusable(`${new URL(at.issuer).host} supports no client with a secret.`)
  const secret = await findClientSecret(options, client)
  if (secret === undefined)
    throw new Fail(
      mcpErrors.grant_client_missing,
      'The secret of spec.auth.clientId has not been read: see the condition ResolvedRefs of the McpServer.',
    )
  return { id: client.clientId, secret, method, isConfigured: true }
}

async function findRegistered({ store, sealed }: FindClientOptions, key: ClientKey): Promise<OAuthClient | undefined> {
  const row = await findClientRow(store.reader<McpTables>(), key)
  try {
    return row === undefined ? undefined : (JSON.parse(sealed.open(row, bindingOf(key))) as OAuthClient)
  } catch (error) {
    if (error instanceof NotOpenable) return undefined
    throw error
  }
}

function bindingOf({ serverUid, issuer, redirectUri }: ClientKey) {
  return { purpose: 'mcp-oauth-client', of: [serverUid, issuer, redirectUri] }
}
