import type { McpCredential } from '#schemas/api/mcp.ts'

/** What was chosen of a credential. Its value is not among it: it has no place but its field. */
export interface CredentialFields {
  readonly kind: McpCredential['kind']
  readonly header: string
}

/** Whether a kind has a value that is pasted. */
export function needsValue(kind: McpCredential['kind']): boolean {
  return kind === 'bearer' || kind === 'header'
}

/** Whether a kind has no value that it needs. */
export function isValueMissing(kind: McpCredential['kind'], value: string): boolean {
  return needsValue(kind) && value === ''
}

/** A credential as a request sends it: without what its kind does not have. Pure. */
export function toCredential({ kind, header }: CredentialFields, value: string): McpCredential {
  return {
    kind,
    ...(needsValue(kind) && value !== '' ? { value } : {}),
    ...(kind === 'header' ? { header: header.trim().toLowerCase() } : {}),
  }
}
