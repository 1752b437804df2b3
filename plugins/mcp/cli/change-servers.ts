import type { Static } from 'typebox'
import type { ApiInput } from '#cli/contract/command.ts'
import type { ResourceTable } from '#cli/contract/resource-table.ts'
import type { DecidedMcpManifest } from '#schemas/api/mcp-approvals.ts'
import type { ConnectMcpServerBody, McpCredential } from '#schemas/api/mcp.ts'
import type { McpServerObject } from '#schemas/crds/mcp-server.ts'
import { readGivenCredential } from './read-credential.ts'
import type { CredentialSource } from './read-credential.ts'

type ConnectedServer = McpServerObject & {
  readonly manifest?: { readonly digest: string; readonly tools: readonly { readonly name: string }[] }
}

const connected: ResourceTable<ConnectedServer> = {
  name: ({ metadata }) => `mcpserver/${metadata.namespace}/${metadata.name}`,
  columns: {
    NAMESPACE: ({ metadata }) => metadata.namespace,
    NAME: ({ metadata }) => metadata.name,
    TOOLS: ({ manifest }) =>
      manifest === undefined ? 'after a grant' : manifest.tools.map(({ name }) => name).join(', '),
    DIGEST: ({ manifest }) => manifest?.digest,
  },
}

interface ConnectValues extends CredentialSource {
  readonly name: string
  readonly url: string | undefined
  readonly connector: string | undefined
  readonly description: string | undefined
  readonly auth: McpCredential['kind'] | undefined
  readonly header: string | undefined
  readonly 'client-id': string | undefined
}

/** Connects a server. */
export async function connectOf(input: ApiInput<ConnectValues>): Promise<number> {
  const { api, namespace, values, printer } = input
  const { name, url, connector: connectorId, description, auth, header, 'client-id': clientId } = values
  const value = await readGivenCredential(input, values)
  const kind = auth ?? (clientId !== undefined ? 'oauth' : value === undefined ? undefined : 'bearer')
  const credential = kind && {
    kind,
    ...(value === undefined ? {} : { value }),
    ...(header === undefined ? {} : { header }),
    ...(clientId === undefined ? {} : { clientId }),
  }
  const body: ConnectMcpServerBody = {
    namespace,
    name,
    ...(url === undefined ? {} : { url }),
    ...(connectorId === undefined ? {} : { connectorId }),
    ...(description === undefined ? {} : { description }),
    ...(credential === undefined ? {} : { credential }),
  }
  await printer.one(connected, await api.post<ConnectedServer>(['mcp', 'connect'], body))
  return 0
}

interface PublishValues {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly tag: readonly string[] | undefined
  readonly 'visible-to': readonly string[]
}

/** Publishes a server. */
export async function publishOf({ api, namespace, values, out }: ApiInput<PublishValues>): Promise<number> {
  const { name: server, title, description, tag: tags = [], 'visible-to': given } = values
  const visibleTo = given.includes('all') ? 'all' : given.filter((one) => one !== 'none')
  await api.post(['mcp', 'publish'], { namespace, server, title, description, tags, visibleTo })
  out(`mcpserver/${namespace}/${server} ${visibleTo.length === 0 ? 'is no longer published' : 'published'}\n`)
  return 0
}

const decided: ResourceTable<Static<typeof DecidedMcpManifest>> = {
  name: ({ namespace, server }) => `mcpserver/${namespace}/${server}`,
  columns: {
    NAMESPACE: ({ namespace }) => namespace,
    NAME: ({ server }) => server,
    STATE: ({ state }) => state,
    BY: ({ by }) => by,
    DIGEST: ({ digest }) => digest,
  },
}

interface ApproveValues {
  readonly name: string
  readonly digest: string
  readonly note: string | undefined
}

/** Approves a manifest. */
export async function approveOf({ api, namespace, values, printer }: ApiInput<ApproveValues>): Promise<number> {
  const { name, digest, note } = values
  const body = { digest, ...(note === undefined ? {} : { note }) }
  await printer.one(decided, await api.post(['mcp', 'approvals', namespace, name], body))
  return 0
}

interface RejectValues {
  readonly name: string
  readonly reason: string
  readonly digest: string | undefined
}

/** Rejects a manifest. */
export async function rejectOf({ api, namespace, values, printer }: ApiInput<RejectValues>): Promise<number> {
  const { name, reason, digest } = values
  const body = { reason, ...(digest === undefined ? {} : { digest }) }
  await printer.one(decided, await api.post(['mcp', 'approvals', namespace, name, 'reject'], body))
  return 0
}
