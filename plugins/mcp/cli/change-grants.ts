import type { Static } from 'typebox'
import type { ApiClient, ListPage } from '#cli/contract/api-client.ts'
import { CliProblem } from '#cli/contract/cli-problem.ts'
import type { ApiInput } from '#cli/contract/command.ts'
import { fieldOf } from '#cli/contract/field-of.ts'
import type { ResourceTable } from '#cli/contract/resource-table.ts'
import { sleep } from '#core/async/sleep.ts'
import type { BegunConsent, McpGrant } from '#schemas/api/mcp-grants.ts'

const grantTable: ResourceTable<McpGrant> = {
  name: ({ namespace, server }) => `grant/${namespace}/${server}`,
  columns: {
    NAMESPACE: ({ namespace }) => namespace,
    SERVER: ({ server }) => server,
    USABLE: ({ usable }) => usable,
    SCOPES: ({ scopes }) => scopes.join(' '),
    AGE: ({ createdAt }) => new Date(createdAt),
  },
  wide: { REFRESHABLE: ({ refreshable }) => refreshable, EXPIRES: ({ expiresAt }) => expiresAt },
}

const POLL_MS = 1_000

// The route has no parameters: it returns all grants of a person, whose number is bounded.
function readGrants(api: ApiClient): Promise<ListPage<McpGrant>> {
  return api.get<ListPage<McpGrant>>(['mcp', 'oauth', 'grants'])
}

/** Lists the grants of the user, in all namespaces. */
export async function printGrants({ api, printer }: ApiInput): Promise<number> {
  await printer.list(grantTable, await readGrants(api))
  return 0
}

interface GrantValues {
  readonly name: string
  readonly scope: readonly string[] | undefined
  readonly wait: boolean
}

/** Begins a consent, and prints the address at which the user gives it. */
export async function grantOf(input: ApiInput<GrantValues>): Promise<number> {
  const { api, namespace, values, out, printer } = input
  const { name: server, scope: scopes } = values
  const before = values.wait ? await findGrantOf(api, namespace, server) : undefined
  const body = { namespace, server, ...(scopes === undefined ? {} : { scopes }) }
  const begun = await api.post<Static<typeof BegunConsent>>(['mcp', 'oauth', 'grant'], body)
  const address = fieldOf(begun, 'authorizationUrl')
  if (!values.wait) {
    out(`${address}\n`)
    return 0
  }
  // The grant is the result of this command.
  input.err(`Open this address to consent:\n${address}\n`)
  for (const end = Date.parse(begun.expiresAt); Date.now() < end; await sleep(POLL_MS)) {
    const grant = await findGrantOf(api, namespace, server)
    if (grant?.usable !== true || grant.createdAt === before?.createdAt) continue
    await printer.one(grantTable, grant)
    return 0
  }
  throw new CliProblem(
    `no consent to mcpserver/${namespace}/${server} until ${begun.expiresAt}`,
    'Run the command again for another address.',
  )
}

async function findGrantOf(api: ApiClient, namespace: string, server: string): Promise<McpGrant | undefined> {
  const { items } = await readGrants(api)
  return items.find((one) => one.namespace === namespace && one.server === server)
}

/** Revokes the grants of the user for a server. */
export async function revokeGrantOf({
  api,
  namespace,
  values,
  out,
}: ApiInput<{ readonly name: string }>): Promise<number> {
  await api.delete(['mcp', 'oauth', 'grant', values.name], { namespace })
  out(`grant/${namespace}/${values.name} revoked\n`)
  return 0
}
