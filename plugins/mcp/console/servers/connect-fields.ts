import { ApiProblem } from '#ui/api/api-problem.ts'
import type { ConnectMcpServerBody, McpCredential } from '#schemas/api/mcp.ts'
import { failedStep } from './handshake-steps.ts'
import { serversText } from './text.ts'

/** What was typed of a server. The credential is not among it: it has no place but its field. */
export interface ServerFields {
  readonly namespace: string
  readonly name: string
  readonly url: string
  readonly kind: McpCredential['kind']
  readonly header: string
}

/** The body of the request. Pure. */
export function toServerBody(
  { namespace, name, url, kind, header }: ServerFields,
  value: string,
): ConnectMcpServerBody {
  const needsValue = kind === 'bearer' || kind === 'header'
  return {
    namespace: namespace.trim(),
    name: name.trim(),
    url: url.trim(),
    credential: {
      kind,
      ...(needsValue && value !== '' ? { value } : {}),
      ...(kind === 'header' ? { header: header.trim().toLowerCase() } : {}),
    },
  }
}

/** Fields of the dialog that a refusal may be of. */
export type ServerPart = keyof ServerFields | 'value'

const parts: readonly ServerPart[] = ['namespace', 'name', 'url', 'kind', 'header', 'value']

/** What was refused, at its fields; `rest` is what no field has. A failed step is said by the list of steps, too. Pure. */
export function refusedServer(error: Error | null): {
  readonly fields: Readonly<Partial<Record<ServerPart, string>>>
  readonly rest: Error | null
} {
  if (!(error instanceof ApiProblem)) return { fields: {}, rest: error }
  const { code, detail, errors = [] } = error.facts
  if (failedStep(error) !== undefined) return { fields: { url: detail }, rest: null }
  if (code === 'already_exists') return { fields: { name: serversText.dialog.taken }, rest: null }
  const known = errors.flatMap((one) => {
    const part = parts.find((name) => name === one.pointer.split(/[/.]/).at(-1))
    return part === undefined ? [] : [[part, one.detail] as const]
  })
  return { fields: Object.fromEntries(known), rest: known.length === errors.length && known.length > 0 ? null : error }
}
