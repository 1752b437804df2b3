import type { Caller } from '#core/cluster/caller.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { createWithSecret } from '#core/http/resource/create-with-secret.ts'
import type { KubeObject, ObjectRef } from '#core/kube/client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import type { ConnectMcpServerBody } from '#schemas/api/mcp.ts'
import { McpServer } from '#schemas/crds/mcp-server.ts'
import type { McpServerObject } from '#schemas/crds/mcp-server.ts'
import { API_VERSION, FIELD_MANAGER } from '#schemas/names/group.ts'
import { MANAGED_BY, MCP_CREDENTIAL_LABEL } from '#schemas/names/labels.ts'
import type { FoundConnector } from '../catalog/find-connector.ts'
import { credentialSecrets } from '../client/credential.ts'
import { readCredential } from './credential-secret.ts'
import type { GivenCredential } from './credential-secret.ts'
import type { Handshake, ShakeHands } from './handshake.ts'

/** What connecting needs. */
export interface ConnectServerOptions {
  readonly shakeHands: ShakeHands
  /** Finds a connector that the namespace may see. Throws `unknown_connector`. */
  readonly findConnector: (id: string, namespace: string) => Promise<FoundConnector>
}

/** Options of one request to connect. */
export interface ConnectServerRequest {
  readonly dryRun: boolean
  readonly signal: AbortSignal
}

/** A connected server, and what it offered. */
export interface ConnectedServer extends Handshake {
  readonly server: McpServerObject
}

/**
 * Connects a server as the caller. The cluster refuses first, by a dry run of both objects; then the server is asked for its tools; then the Secret
 * is written, and the McpServer. A dry run asks no server.
 */
export async function connectServer(
  options: ConnectServerOptions,
  { cluster }: Pick<Caller, 'cluster'>,
  body: ConnectMcpServerBody,
  { dryRun, signal }: ConnectServerRequest,
): Promise<ConnectedServer> {
  const namespace = parseLabel('/namespace', body.namespace ?? 'default')
  const name = parseName('/name', body.name)
  const { url, credential } = await addressOf(options, body, namespace)
  const given = readCredential({ namespace, name, url }, credential)
  const object = toServer({ namespace, name }, { ...body, url }, given)
  const pair = { kind: McpServer, object, secret: given.secret }
  const write = { fieldManager: FIELD_MANAGER, signal }
  if (given.secret !== undefined && !dryRun) await removeLeft(cluster, given.secret)
  const judged = await createWithSecret(cluster, pair, { ...write, dryRun: true })
  if (dryRun) return { server: judged, manifest: undefined, steps: [] }
  const handshake = await options.shakeHands({ url, ...given.sent, expectsGrant: given.expectsGrant, signal })
  return { ...handshake, server: await createWithSecret(cluster, pair, write) }
}

async function addressOf(
  { findConnector }: ConnectServerOptions,
  { url, connectorId, credential }: ConnectMcpServerBody,
  namespace: string,
): Promise<Pick<ConnectMcpServerBody, 'credential'> & { readonly url: string }> {
  const refuse = (pointer: string, detail: string): Fail =>
    new Fail('invalid_body', undefined, { errors: [{ pointer, detail }] })
  if (connectorId !== undefined) {
    if (url !== undefined) throw refuse('/url', 'is not allowed together with connectorId')
    const connector = await findConnector(connectorId, namespace)
    return { url: connector.url, credential: credential ?? defaultCredential(connector) }
  }
  if (url === undefined) throw refuse('/url', 'is required without connectorId')
  if (!URL.canParse(url)) throw refuse('/url', 'must be a URL such as https://tools.example.com/mcp')
  return { url, ...(credential === undefined ? {} : { credential }) }
}

// A connector with a token needs the value of the caller.
function defaultCredential({ auth, header }: FoundConnector): NonNullable<ConnectMcpServerBody['credential']> {
  return { kind: auth, ...(header === undefined ? {} : { header }) }
}

// A server that was deleted has left the Secret of its credential.
async function removeLeft(cluster: Caller['cluster'], { metadata }: KubeObject): Promise<void> {
  const ref = { namespace: metadata.namespace, name: metadata.name } as ObjectRef
  const server = { ...ref, name: parseName('/name', metadata.name.replace(/-mcp-credential$/, '')) }
  try {
    const { metadata: found } = await cluster.get(credentialSecrets, ref, { metadataOnly: true })
    const isOurs =
      found.labels?.[MANAGED_BY.label] === MANAGED_BY.value && found.labels[MCP_CREDENTIAL_LABEL] === 'true'
    if (!isOurs || (await hasServer(cluster, server))) return
    await cluster.delete(credentialSecrets, ref, found.uid === undefined ? {} : { preconditions: { uid: found.uid } })
  } catch (error) {
    // A caller who may not read or delete it gets the refusal of the dry run.
    if (!isStatus(error, 404) && !isStatus(error, 403) && !isStatus(error, 409)) throw error
  }
}

async function hasServer(cluster: Caller['cluster'], ref: ObjectRef): Promise<boolean> {
  try {
    await cluster.get(McpServer, ref)
    return true
  } catch (error) {
    if (isStatus(error, 404)) return false
    throw error
  }
}

function toServer(
  ref: { readonly namespace: string; readonly name: string },
  { url, description }: Pick<ConnectMcpServerBody, 'description'> & { readonly url: string },
  { spec }: GivenCredential,
): McpServerObject {
  return {
    apiVersion: API_VERSION,
    kind: McpServer.kind,
    metadata: ref,
    spec: { url, ...(description === undefined ? {} : { description }), ...spec },
  }
}
