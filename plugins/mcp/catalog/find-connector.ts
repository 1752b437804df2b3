import { Fail } from '#core/errors/domain-error.ts'
import type { Store } from '#core/event-store/store.ts'
import { mcpErrors } from '../contract/errors.ts'
import type { McpTables } from '../contract/tables.ts'
import { readConnector } from '../store/connector-rows.ts'
import { shippedServers } from './shipped-servers.ts'

/** A connector that a request names: its address, and how it authenticates. */
export interface FoundConnector {
  readonly url: string
  readonly auth: 'none' | 'bearer' | 'header' | 'oauth'
  readonly header?: string | undefined
}

/** Finds a connector by its id, if a namespace may see it. Throws `unknown_connector`. */
export type FindConnector = (id: string, namespace: string) => Promise<FoundConnector>

/** Prefixes of the ids of connectors. */
export const SHIPPED_PREFIX = 'shipped:'
export const PUBLISHED_PREFIX = 'published:'

/** Creates the look-up. Without a store only shipped servers are found. */
export function createFindConnector(store: Store | undefined): FindConnector {
  return async (id, namespace) => {
    const found = id.startsWith(PUBLISHED_PREFIX)
      ? await findPublished(store, id.slice(PUBLISHED_PREFIX.length), namespace)
      : shippedServers.find((server) => `${SHIPPED_PREFIX}${server.id}` === id)
    if (found === undefined)
      throw new Fail(mcpErrors.unknown_connector, `Namespace ${namespace} sees no connector with this id.`)
    return found
  }
}

async function findPublished(
  store: Store | undefined,
  uid: string,
  namespace: string,
): Promise<FoundConnector | undefined> {
  const row = store && (await readConnector(store.reader<McpTables>(), uid, namespace))
  return row && { url: row.url, auth: row.auth, header: row.header ?? undefined }
}
