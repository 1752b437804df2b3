import type { Static } from 'typebox'
import type { ApiInput } from '#cli/contract/command.ts'
import { fieldOf } from '#cli/contract/field-of.ts'
import type { ResourceTable } from '#cli/contract/resource-table.ts'
import type { McpApproval } from '#schemas/api/mcp-approvals.ts'
import type { McpConnector } from '#schemas/api/mcp-connectors.ts'
import type { McpServerReferences } from '#schemas/api/mcp.ts'
import type { McpServerObject } from '#schemas/crds/mcp-server.ts'

interface LimitValues {
  readonly limit: number
}

const readyOf = ({ status }: McpServerObject) => status?.conditions?.find(({ type }) => type === 'Ready')

const servers: ResourceTable<McpServerObject> = {
  name: ({ metadata }) => `mcpserver/${metadata.namespace}/${metadata.name}`,
  columns: {
    NAMESPACE: ({ metadata }) => metadata.namespace,
    NAME: ({ metadata }) => metadata.name,
    TOOLS: ({ status }) => status?.toolCount,
    READY: (server) => readyOf(server)?.status,
    REASON: (server) => readyOf(server)?.reason,
    AGE: ({ metadata }) => metadata.creationTimestamp && new Date(metadata.creationTimestamp),
  },
  wide: { URL: ({ spec }) => spec.url, AUTH: ({ spec }) => spec.auth?.kind },
}

/** Lists servers. */
export async function printServers({ api, scope, values, printer }: ApiInput<LimitValues>): Promise<number> {
  await printer.list(servers, await api.list<McpServerObject>(['mcpservers'], scope, values.limit))
  return 0
}

interface ListedMcpTool {
  readonly server: { readonly namespace: string; readonly name: string; readonly ready: boolean }
  readonly name: string
  readonly title?: string
  readonly description?: string
}

const tools: ResourceTable<ListedMcpTool> = {
  name: ({ server, name }) => `tool/${server.namespace}/${server.name}/${name}`,
  columns: {
    NAMESPACE: ({ server }) => server.namespace,
    SERVER: ({ server }) => server.name,
    NAME: ({ name }) => name,
    READY: ({ server }) => server.ready,
    TITLE: ({ title }) => title,
  },
  wide: { DESCRIPTION: ({ description }) => description },
}

/** Lists the accepted tools of servers. */
export async function printTools({ api, scope, values, printer }: ApiInput<LimitValues>): Promise<number> {
  await printer.list(tools, await api.list<ListedMcpTool>(['tools'], scope, values.limit))
  return 0
}

interface ServerUser {
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

const users: ResourceTable<ServerUser> = {
  name: ({ kind, namespace, name }) => `${kind}/${namespace}/${name}`,
  columns: { KIND: ({ kind }) => kind, NAMESPACE: ({ namespace }) => namespace, NAME: ({ name }) => name },
}

/** Shows what uses a server. */
export async function printReferences({
  api,
  namespace,
  values,
  printer,
}: ApiInput<{ readonly name: string }>): Promise<number> {
  const path = ['mcpservers', namespace, values.name, 'references']
  const found = await api.get<Static<typeof McpServerReferences>>(path)
  const kinds = { binding: 'bindings', registry: 'registries', agent: 'agents' } as const
  const rows = Object.entries(kinds).flatMap(([kind, field]) =>
    (fieldOf(found, field) ?? []).map(({ namespace: place, name }): ServerUser => ({ kind, namespace: place, name })),
  )
  await printer.list(users, { items: rows, nextCursor: null })
  return 0
}

const connectors: ResourceTable<McpConnector> = {
  name: ({ id }) => `connector/${id}`,
  columns: {
    ID: ({ id }) => id,
    TITLE: ({ title }) => title,
    AUTH: ({ auth }) => auth,
    SOURCE: ({ source, asOf }) => (asOf === undefined ? source : `${source} ${asOf}`),
    URL: ({ url }) => url,
  },
  wide: { DESCRIPTION: ({ description }) => description, TAGS: ({ tags }) => tags.join(', ') },
}

interface ConnectorValues extends LimitValues {
  readonly find: string | undefined
}

/** Lists servers that can be connected. */
export async function printConnectors({ api, scope, values, printer }: ApiInput<ConnectorValues>): Promise<number> {
  const query = { ...scope, q: values.find }
  await printer.list(connectors, await api.list<McpConnector>(['mcp', 'connectors'], query, values.limit))
  return 0
}

const approvals: ResourceTable<McpApproval> = {
  name: ({ namespace, server }) => `mcpserver/${namespace}/${server}`,
  columns: {
    NAMESPACE: ({ namespace }) => namespace,
    NAME: ({ server }) => server,
    CHANGES: ({ changes }) => changes.map(({ change, tool }) => `${change} ${tool}`).join(', '),
    AUTHOR: ({ author }) => author,
    DECISION: ({ decision }) => decision?.state,
    DIGEST: ({ digest }) => digest,
  },
  wide: { URL: ({ url }) => url },
}

/** Lists manifests that wait. */
export async function printApprovals({ api, scope, values, printer }: ApiInput<LimitValues>): Promise<number> {
  await printer.list(approvals, await api.list<McpApproval>(['mcp', 'approvals'], scope, values.limit))
  return 0
}
