import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import type { KubeClient, KubeObject, ObjectRef } from '#core/kube/client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { isOwnedBy, ownerOf } from './owner.ts'
import { keysName, podLabels } from './pod-template.ts'
import { children } from './resources.ts'
import type { ChildKind } from './resources.ts'

/** The field manager of everything that the reconciler writes. */
export const FIELD_MANAGER = 'mesh-manager'

/** Thrown if an object of that name exists with another owner, or of an earlier agent of this name. It is left unchanged. */
export class NotOurs extends Error {
  readonly reason: 'NameConflict' | 'OldObjectsRemain'
  constructor(live: KubeObject, agent: AgentDeploymentObject) {
    const { name } = agent.metadata
    const earlier = live.metadata.ownerReferences?.some((one) => one.kind === AgentDeployment.kind && one.name === name)
    const why =
      earlier === true
        ? 'belongs to an earlier agent of this name and is being deleted'
        : 'does not belong to this agent'
    super(`${live.kind} ${live.metadata.name} exists and ${why}.`)
    this.name = 'NotOurs'
    this.reason = earlier === true ? 'OldObjectsRemain' : 'NameConflict'
  }
}

/** Applies an object by server-side apply. Fields of other managers, such as the replica count of an autoscaler, are kept. */
export async function applyChild(
  cluster: KubeClient,
  agent: AgentDeploymentObject,
  object: KubeObject,
): Promise<KubeObject> {
  const resource = children[object.kind as ChildKind]
  const ref = refOf(object)
  const live = await find(cluster, object.kind as ChildKind, ref)
  if (live !== undefined && !isOwnedBy(live, agent)) throw new NotOurs(live, agent)
  return cluster.patch(resource, ref, { type: 'apply', body: object, force: true }, { fieldManager: FIELD_MANAGER })
}

/** Deletes an object if it exists and belongs to the agent. */
export async function removeChild(
  cluster: KubeClient,
  agent: AgentDeploymentObject,
  kind: ChildKind,
  name: string,
): Promise<void> {
  const ref = { namespace: parseLabel('namespace', agent.metadata.namespace ?? ''), name: parseName('name', name) }
  const live = await find(cluster, kind, ref)
  if (live === undefined || !isOwnedBy(live, agent)) return
  const { uid } = live.metadata
  const preconditions = uid === undefined ? {} : { preconditions: { uid } }
  await cluster.delete(children[kind], ref, { propagation: 'Background', ...preconditions }).catch(ignore(404, 409))
}

/** Thrown if the Secret of the agent's keys has no usable public key. After its deletion a new pair is created. */
export class UnusableKeys extends Error {
  readonly reason = 'UnusableKeys'
  constructor(name: string) {
    super(`Secret ${name} has no Ed25519 key in agent.pub; delete it to have a new pair made.`)
    this.name = 'UnusableKeys'
  }
}

/**
 * Creates the agent's key pair if it does not exist. Workers authenticate the agent's launchers by it. Returns the public key
 * (PEM, SPKI). Throws `UnusableKeys`.
 */
export async function ensureKeys(cluster: KubeClient, agent: AgentDeploymentObject): Promise<string> {
  const name = keysName(agent)
  const ref = { namespace: parseLabel('namespace', agent.metadata.namespace ?? ''), name: parseName('name', name) }
  const live = await find<KeysSecret>(cluster, 'Secret', ref)
  if (live !== undefined && !isOwnedBy(live, agent)) throw new NotOurs(live, agent)
  if (live !== undefined) return publicKeyIn(live)
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    metadata: { name, namespace: ref.namespace, labels: podLabels(agent), ownerReferences: [ownerOf(agent)] },
    data: {
      'agent.key': Buffer.from(privateKey.export({ type: 'pkcs8', format: 'pem' })).toString('base64'),
      'agent.pub': Buffer.from(publicKey.export({ type: 'spki', format: 'pem' })).toString('base64'),
    },
  }
  try {
    return publicKeyIn(await cluster.create<KeysSecret>(children.Secret, secret, { fieldManager: FIELD_MANAGER }))
  } catch (error) {
    if (!isStatus(error, 409)) throw error
    // Another manager was first; its pair is used.
    return publicKeyIn(await cluster.get<KeysSecret>(children.Secret, ref))
  }
}

type KeysSecret = KubeObject & { readonly data?: Readonly<Record<string, string>> }

function publicKeyIn({ metadata, data }: KeysSecret): string {
  try {
    const key = createPublicKey(Buffer.from(data?.['agent.pub'] ?? '', 'base64'))
    if (key.asymmetricKeyType === 'ed25519') return key.export({ type: 'spki', format: 'pem' }).toString()
  } catch {
    // Not a key: handled like a key of another type.
  }
  throw new UnusableKeys(metadata.name)
}

/** Reads an object. Returns undefined if it does not exist. */
export async function find<O extends KubeObject>(
  cluster: KubeClient,
  kind: ChildKind,
  ref: ObjectRef,
): Promise<O | undefined> {
  try {
    return await cluster.get<O>(children[kind], ref)
  } catch (error) {
    if (isStatus(error, 404)) return undefined
    throw error
  }
}

/** Returns a handler that ignores errors with these statuses and rethrows all others. */
export function ignore(...statuses: readonly number[]): (error: unknown) => undefined {
  return (error) => {
    if (statuses.some((status) => isStatus(error, status))) return undefined
    throw error
  }
}

function refOf(object: KubeObject): ObjectRef {
  return {
    namespace: parseLabel('metadata.namespace', object.metadata.namespace ?? ''),
    name: parseName('metadata.name', object.metadata.name),
  }
}
