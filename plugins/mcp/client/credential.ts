import type { KubeClient, KubeObject, Resource } from '#core/kube/client.ts'
import { isLabel, isName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import type { McpServerSpec } from '#schemas/crds/mcp-server.ts'
import { MCP_CREDENTIAL_LABEL, ORIGIN_ANNOTATION } from '#schemas/names/labels.ts'
import { secretValueOf } from '#schemas/values/secret-value.ts'

const secrets: Resource = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true }

/** The token for a server, or the reason why it must not be sent. */
export type FoundCredential =
  | { readonly bearer: string | undefined }
  | {
      readonly reason: 'SecretMissing' | 'SecretNotLabelled' | 'OriginMismatch' | 'InvalidSecret'
      readonly message: string
    }

/**
 * Reads the token of a server. It may only be sent to the origin in its Secret, even after a change of the URL (B7). Messages contain neither the
 * token nor an origin other than the server's.
 */
export async function findCredential(
  cluster: Pick<KubeClient, 'get'>,
  namespace: string,
  { url, secretRef }: Pick<McpServerSpec, 'url' | 'secretRef'>,
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
  const bearer = secretValueOf(secret, secretRef.key)?.toString('latin1') ?? ''
  if (!/^[\x21-\x7e]{1,8192}$/.test(bearer))
    return { reason: 'InvalidSecret', message: `${named} has no token at the key ${secretRef.key}.` }
  return { bearer }
}

async function readSecret(
  cluster: Pick<KubeClient, 'get'>,
  namespace: string,
  name: string,
): Promise<KubeObject | undefined> {
  if (!isLabel(namespace) || !isName(name)) return undefined
  try {
    return await cluster.get(secrets, { namespace, name })
  } catch (error) {
    if (isStatus(error, 404)) return undefined
    throw error
  }
}
