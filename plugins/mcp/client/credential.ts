import type { KubeClient, KubeObject, Resource } from '#core/kube/client.ts'
import { isLabel, isName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import type { McpServerSpec } from '#schemas/crds/mcp-server.ts'
import { MCP_CREDENTIAL_LABEL, ORIGIN_ANNOTATION } from '#schemas/names/labels.ts'
import { secretValueOf } from '#schemas/values/secret-value.ts'

/** Kubernetes Secrets, which hold credentials. */
export const credentialSecrets: Resource = {
  group: '',
  version: 'v1',
  plural: 'secrets',
  kind: 'Secret',
  namespaced: true,
}

/** A header with a credential. */
export interface CredentialHeader {
  /** In lowercase. */
  readonly name: string
  readonly value: string
}

/** The token or the header for a server; neither for a server without a Secret. */
export interface SentCredential {
  readonly bearer: string | undefined
  readonly header?: CredentialHeader | undefined
}

/** The credential of a server, or the reason why it must not be sent. */
export type FoundCredential =
  | SentCredential
  | {
      readonly reason: 'SecretMissing' | 'SecretNotLabelled' | 'OriginMismatch' | 'InvalidSecret'
      readonly message: string
    }

/** What a bearer token may contain. */
export const BEARER_PATTERN = /^[\x21-\x7e]{1,8192}$/

/** What the value of a header may contain: no control character, and no space at either end (RFC 9110, section 5.5). */
export const HEADER_VALUE_PATTERN = /^[\x21-\x7e](?:[\x20-\x7e]{0,8190}[\x21-\x7e])?$/

/**
 * Reads the token or the header of a server. It may only be sent to the origin in its Secret, even after a change of the URL (B7). Messages contain neither the
 * token nor an origin other than the server's.
 */
export async function findCredential(
  cluster: Pick<KubeClient, 'get'>,
  namespace: string,
  { url, auth, secretRef }: Pick<McpServerSpec, 'url' | 'auth' | 'secretRef'>,
): Promise<FoundCredential> {
  if (secretRef === undefined) return { bearer: undefined }
  const named = `Secret ${namespace}/${secretRef.name}`
  const secret = await readSecret(cluster, namespace, secretRef.name)
  if (secret === undefined) return { reason: 'SecretMissing', message: `${named} does not exist.` }
  const { labels, annotations } = secret.metadata
  if (labels?.[MCP_CREDENTIAL_LABEL] !== 'true')
    return { reason: 'SecretNotLabelled', message: `${named} has no label ${MCP_CREDENTIAL_LABEL}=true.` }
  const { origin } = new URL(url)
  if (URL.parse(annotations?.[ORIGIN_ANNOTATION] ?? '')?.origin !== origin)
    return {
      reason: 'OriginMismatch',
      message: `${named} has no annotation ${ORIGIN_ANNOTATION} with the origin ${origin}.`,
    }
  const value = secretValueOf(secret, secretRef.key)?.toString('latin1') ?? ''
  const name = auth?.kind === 'header' ? auth.header : undefined
  if (!(name === undefined ? BEARER_PATTERN : HEADER_VALUE_PATTERN).test(value))
    return {
      reason: 'InvalidSecret',
      message: `${named} has no ${name === undefined ? 'token' : 'header value'} at the key ${secretRef.key}.`,
    }
  return name === undefined ? { bearer: value } : { bearer: undefined, header: { name, value } }
}

async function readSecret(
  cluster: Pick<KubeClient, 'get'>,
  namespace: string,
  name: string,
): Promise<KubeObject | undefined> {
  if (!isLabel(namespace) || !isName(name)) return undefined
  try {
    return await cluster.get(credentialSecrets, { namespace, name })
  } catch (error) {
    if (isStatus(error, 404)) return undefined
    throw error
  }
}
