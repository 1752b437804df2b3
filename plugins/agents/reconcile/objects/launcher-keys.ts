import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import type { KubeClient, KubeObject } from '#core/kube/client.ts'
import { isStatus } from '#core/kube/status.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { isOwnedBy, ownerReference, refIn } from '../owner-reference.ts'
import { keysName, podLabels } from '../pod/pod-template.ts'
import { RECONCILER_FIELD_MANAGER, NotOwned, find } from './apply-child.ts'
import { children } from './child-kinds.ts'

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
  const ref = refIn(agent, name)
  const live = await find<KeysSecret>(cluster, 'Secret', ref)
  if (live !== undefined && !isOwnedBy(live, agent)) throw new NotOwned(live, agent)
  if (live !== undefined) return publicKeyIn(live)
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    metadata: {
      name,
      namespace: agent.metadata.namespace ?? '',
      labels: podLabels(agent),
      ownerReferences: [ownerReference(agent)],
    },
    data: {
      'agent.key': Buffer.from(privateKey.export({ type: 'pkcs8', format: 'pem' })).toString('base64'),
      'agent.pub': Buffer.from(publicKey.export({ type: 'spki', format: 'pem' })).toString('base64'),
    },
  }
  try {
    return publicKeyIn(
      await cluster.create<KeysSecret>(children.Secret, secret, { fieldManager: RECONCILER_FIELD_MANAGER }),
    )
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
    if (key.asymmetricKeyType === 'ed25519') return key.export({ type: 'spki', format: 'pem' })
  } catch {
    // Not a key: handled like a key of another type.
  }
  throw new UnusableKeys(metadata.name)
}
