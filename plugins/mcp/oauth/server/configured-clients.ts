import type { Store } from '#core/event-store/store.ts'
import { NotOpenable } from '#core/signing/sealed.ts'
import type { Sealed } from '#core/signing/sealed.ts'
import type { McpServerObject } from '#schemas/crds/mcp-server.ts'
import type { McpTables } from '../../contract/tables.ts'
import { findClientRow, removeClientRows, saveClientRow } from '../../store/oauth-clients.ts'

/** Where secrets of configured clients are kept. */
export interface ConfiguredClientOptions {
  readonly store: Pick<Store, 'reader' | 'transact'>
  readonly sealed: Sealed
}

/** A client as its McpServer configures it. Its secret is for this address only: another one may belong to another owner. */
export interface ConfiguredClient {
  readonly serverUid: string
  readonly url: string
  readonly clientId: string
}

// Registrations have an issuer and an address.
const CONFIGURED = { issuer: '', redirectUri: '' }

/** The configured client with a secret of a server; undefined for another server. */
export function configuredClientOf({ metadata, spec }: McpServerObject): ConfiguredClient | undefined {
  const { kind, clientId } = spec.auth ?? {}
  if (kind !== 'oauth' || clientId === undefined || spec.secretRef === undefined) return undefined
  return { serverUid: metadata.uid ?? '', url: spec.url, clientId }
}

/**
 * The secret of a configured client, as the manager has read it last: those who consent may read no Secrets. Undefined: the manager has not read it, or
 * refuses its Secret.
 */
export async function findClientSecret(
  { store, sealed }: ConfiguredClientOptions,
  client: ConfiguredClient,
): Promise<string | undefined> {
  const row = await findClientRow(store.reader<McpTables>(), { ...CONFIGURED, serverUid: client.serverUid })
  try {
    return row === undefined ? undefined : sealed.open(row, bindingOf(client))
  } catch (error) {
    if (error instanceof NotOpenable) return undefined
    throw error
  }
}

/** Keeps the secret of a configured client, sealed; undefined removes it. Writes nothing if it has not changed. */
export async function keepClientSecret(
  options: ConfiguredClientOptions,
  client: ConfiguredClient,
  secret: string | undefined,
): Promise<void> {
  const { store, sealed } = options
  if (secret === undefined)
    return store.transact((tx) => removeClientRows(tx.tables<McpTables>(), client.serverUid, CONFIGURED.issuer))
  if ((await findClientSecret(options, client)) === secret) return
  const row = { sealed: sealed.seal(secret, bindingOf(client)), expiresAt: null }
  const key = { ...CONFIGURED, serverUid: client.serverUid }
  await store.transact((tx) => saveClientRow(tx.tables<McpTables>(), key, row))
}

function bindingOf({ serverUid, url, clientId }: ConfiguredClient) {
  return { purpose: 'mcp-client-secret', of: [serverUid, url, clientId] }
}
