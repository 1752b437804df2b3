import type { Caller } from '#core/cluster/caller.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { KubeObject, ObjectRef, WriteOptions } from '#core/kube/client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import type { OrgCredentialBody } from '#schemas/api/mcp.ts'
import { McpServer } from '#schemas/crds/mcp-server.ts'
import type { McpServerObject } from '#schemas/crds/mcp-server.ts'
import { FIELD_MANAGER } from '#schemas/names/group.ts'
import { MANAGED_BY, MCP_CREDENTIAL_LABEL } from '#schemas/names/labels.ts'
import { credentialSecrets } from '../client/credential.ts'
import { mcpErrors } from '../contract/errors.ts'
import { nameOfCredential, readCredential } from './credential-secret.ts'
import type { GivenCredential } from './credential-secret.ts'

/**
 * Sets the credential of a server as the caller: the Secret first, then the McpServer. Nothing is written unless a dry run of both succeeds. A Secret
 * of another origin or owner is refused.
 */
export async function setCredential(
  { cluster }: Pick<Caller, 'cluster'>,
  body: OrgCredentialBody,
  { dryRun, signal }: { readonly dryRun: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const namespace = parseLabel('/namespace', body.namespace ?? 'default')
  const ref = { namespace, name: parseName('/server', body.server) }
  const { spec, metadata } = await cluster.get<McpServerObject>(McpServer, ref, { signal })
  const given = readCredential({ ...ref, url: spec.url }, body.credential)
  const place = { namespace, name: nameOfCredential(ref.name) }
  const found = given.secret && (await findOwn(cluster, place, signal))
  const write = async (dry: boolean): Promise<void> => {
    const options: WriteOptions = { fieldManager: FIELD_MANAGER, dryRun: dry, ...(dry ? { signal } : {}) }
    const made = given.secret && (await writeSecret(cluster, place, { secret: given.secret, found }, options))
    try {
      await cluster.patch(McpServer, ref, { type: 'merge', body: toPatch(given, metadata.uid) }, options)
    } catch (error) {
      // A Secret that existed keeps the new value: the server may use it already.
      if (made !== undefined && found === undefined && !dry)
        await cluster.delete(credentialSecrets, place).catch(() => undefined)
      throw error
    }
  }
  await write(true)
  if (dryRun) return
  await write(false)
  if (given.secret === undefined && spec.secretRef?.name === place.name) await removeOwn(cluster, place)
}

async function findOwn(
  cluster: Caller['cluster'],
  place: ObjectRef,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  try {
    const secret = await cluster.get(credentialSecrets, place, { signal, metadataOnly: true })
    if (!isOwn(secret)) throw new Fail(mcpErrors.credential_not_ours, `Secret ${place.name} is not the platform's.`)
    return secret
  } catch (error) {
    if (isStatus(error, 404)) return undefined
    throw error
  }
}

function isOwn({ metadata: { labels } }: KubeObject): boolean {
  return labels?.[MANAGED_BY.label] === MANAGED_BY.value && labels[MCP_CREDENTIAL_LABEL] === 'true'
}

interface WrittenSecret {
  readonly secret: KubeObject
  readonly found: KubeObject | undefined
}

function writeSecret(
  cluster: Caller['cluster'],
  place: ObjectRef,
  { secret, found }: WrittenSecret,
  options: WriteOptions,
): Promise<KubeObject> {
  if (found === undefined) return cluster.create(credentialSecrets, secret, options)
  const { metadata, ...parts } = secret
  const { labels, annotations } = metadata
  const body = { metadata: { uid: found.metadata.uid, labels, annotations }, data: parts['data'] }
  return cluster.patch(credentialSecrets, place, { type: 'merge', body }, options)
}

// A merge patch removes what is null. The uid prevents a write to a successor of the same name.
function toPatch({ spec: { auth, secretRef } }: GivenCredential, uid: string | undefined): object {
  const kept = auth && {
    kind: auth.kind,
    header: auth.header ?? null,
    clientId: auth.clientId ?? null,
    issuer: auth.kind === 'oauth' ? undefined : null,
  }
  return { metadata: { uid }, spec: { auth: kept ?? null, secretRef: secretRef ?? null } }
}

async function removeOwn(cluster: Caller['cluster'], place: ObjectRef): Promise<void> {
  try {
    const secret = await cluster.get(credentialSecrets, place, { metadataOnly: true })
    if (isOwn(secret)) await cluster.delete(credentialSecrets, place)
  } catch (error) {
    if (!isStatus(error, 404) && !isStatus(error, 403)) throw error
  }
}
