import { ApiProblem } from '#ui/api/api-problem.ts'
import type { ConnectMcpServerBody } from '#schemas/api/mcp.ts'
import type { McpConnector } from '#schemas/api/mcp-connectors.ts'
import { refusedFields } from '#ui/parts/form/refusal-at.ts'
import type { RefusedFields } from '#ui/parts/form/refusal-at.ts'
import { toCredential } from '../credential/credential-body.ts'
import type { CredentialFields } from '../credential/credential-body.ts'
import { failedStep } from './handshake-steps.ts'
import { serversText } from './text.ts'

/** What was typed of a server. The value of its credential is not among it: it has no place but its field. */
export interface ServerFields extends CredentialFields {
  readonly namespace: string
  readonly name: string
  readonly url: string
  /** The entry that gives the address. */
  readonly connector?: Pick<McpConnector, 'id' | 'title' | 'url'>
}

/** The body of the request. Pure. */
export function toServerBody(
  { namespace, name, url, connector, ...credential }: ServerFields,
  value: string,
): ConnectMcpServerBody {
  return {
    namespace: namespace.trim(),
    name: name.trim(),
    ...(connector === undefined ? { url: url.trim() } : { connectorId: connector.id }),
    credential: toCredential(credential, value),
  }
}

/** Fields of the dialog that a refusal may be of. */
export type ServerPart = Exclude<keyof ServerFields, 'connector'> | 'value'

const parts: readonly ServerPart[] = ['namespace', 'name', 'url', 'kind', 'header', 'clientId', 'value']

/** What was refused, at its fields; a failed step is said by the list of steps, too. Pure. */
export function refusedServer(error: Error | null): RefusedFields<ServerPart> {
  if (!(error instanceof ApiProblem)) return { fields: {}, rest: error }
  if (failedStep(error) !== undefined) return { fields: { url: error.facts.detail }, rest: null }
  if (error.facts.code === 'already_exists') return { fields: { name: serversText.dialog.taken }, rest: null }
  return refusedFields(error, parts)
}
