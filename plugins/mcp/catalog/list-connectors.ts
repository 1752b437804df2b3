import type { AccessScope } from '#core/cluster/caller.ts'
import type { Store } from '#core/event-store/store.ts'
import { keyedPage } from '#core/http/store/store-list.ts'
import type { RowPage, StoreListCall } from '#core/http/store/store-list.ts'
import type { McpConnector } from '#schemas/api/mcp-connectors.ts'
import type { McpTables } from '../contract/tables.ts'
import { readConnectors } from '../store/connector-rows.ts'
import type { PublishedConnector } from '../store/connector-rows.ts'
import { PUBLISHED_PREFIX, SHIPPED_PREFIX } from './find-connector.ts'
import { SHIPPED_AS_OF, shippedServers } from './shipped-servers.ts'
import type { ShippedServer } from './shipped-servers.ts'

type ListConnectorsCall = StoreListCall & { readonly query: { readonly q?: string } }

/**
 * One page of what can be connected: published servers that the namespaces of the scope see, then the shipped ones. Without a store only these.
 */
export async function listConnectors(
  store: Store | undefined,
  access: AccessScope<'list', 'mcpservers'>,
  call: ListConnectorsCall,
) {
  const { q } = call.query
  const isAll = access.some(({ namespace }) => namespace === '')
  const namespaces = isAll ? undefined : access.map(({ namespace }) => namespace)
  const shipped = shippedServers.filter((server) => matches(server, q)).map(toShipped)
  const read = async ({ limit, after }: RowPage): Promise<readonly KeyedConnector[]> => {
    const [group, title = '', id = ''] = after ?? []
    const published =
      store === undefined || access.length === 0 || group === SHIPPED
        ? []
        : await readConnectors(store.reader<McpTables>(), {
            namespaces,
            q,
            limit,
            after: after === undefined ? undefined : [String(title), String(id)],
          })
    const rest = shipped.filter((one) => group !== SHIPPED || one.id > String(title))
    return [...published.map(toPublished), ...rest.map(keyedShipped)].slice(0, limit)
  }
  const page = await keyedPage(call, {
    bound: namespaces ?? null,
    read,
    keyOf: ({ key }: KeyedConnector) => key,
  })
  return { ...page, items: page.items.map(({ connector }) => connector) }
}

// Groups of a list, in their order.
const PUBLISHED = 0
const SHIPPED = 1

interface KeyedConnector {
  readonly key: readonly (string | number)[]
  readonly connector: McpConnector
}

function matches({ title, description, tags }: ShippedServer, q: string | undefined): boolean {
  return q === undefined || [title, description, ...tags].join(' ').toLowerCase().includes(q.toLowerCase())
}

function toShipped({ id, source, tags, ...server }: ShippedServer): McpConnector {
  return {
    ...server,
    id: `${SHIPPED_PREFIX}${id}`,
    source: 'shipped',
    tags: [...tags],
    asOf: SHIPPED_AS_OF,
    documentation: source,
  }
}

function keyedShipped(connector: McpConnector): KeyedConnector {
  return { key: [SHIPPED, connector.id], connector }
}

function toPublished(row: PublishedConnector): KeyedConnector {
  return {
    key: [PUBLISHED, row.title, row.server_uid],
    connector: {
      id: `${PUBLISHED_PREFIX}${row.server_uid}`,
      source: 'published',
      title: row.title,
      description: row.description,
      tags: [...row.tags],
      url: row.url,
      auth: row.auth,
      ...(row.header === null ? {} : { header: row.header }),
      publishedBy: row.published_by,
      publishedAt: row.published_at.toISOString(),
    },
  }
}
