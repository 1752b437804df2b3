import type { McpCredential } from '#schemas/api/mcp.ts'

/** What was chosen of a credential. Its value is not among it: it has no place but its field. */
export interface CredentialFields {
  readonly kind: McpCredential['kind']
  readonly header: string
  /** Client at the authorization server; empty for one that the platform registers. */
  readonly clientId: string
}

/** Whether a kind has a value that is pasted. */
export function needsValue(kind: McpCredential['kind']): boolean {
  return kind === 'bearer' || kind === 'header'
}

/** Whether a value can be pasted: it is needed, or it is the secret of a client. */
export function takesValue({ kind, clientId }: Pick<CredentialFields, 'kind' | 'clientId'>): boolean {
  return needsValue(kind) || (kind === 'oauth' && clientId.trim() !== '')
}

/** Whether a kind has no value that it needs. */
export function isValueMissing(kind: McpCredential['kind'], value: string): boolean {
  return needsValue(kind) && value === ''
}

/** A credential as a request sends it: without what its kind does not have. Pure. */
export function toCredential({ kind, header, clientId }: CredentialFields, value: string): McpCredential {
  const client = clientId.trim()
  return {
    kind,
    ...(takesValue({ kind, clientId }) && value !== '' ? { value } : {}),
    ...(kind === 'header' ? { header: header.trim().toLowerCase() } : {}),
    ...(kind === 'oauth' && client !== '' ? { clientId: client } : {}),
  }
}
