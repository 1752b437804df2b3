import type { KubeClient, KubeObject, ObjectRef, Resource, WriteOptions } from '#core/kube/client.ts'

const secrets: Resource = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true }

/** An object, and the Secret to which it refers; undefined for an object without one. */
export interface ObjectWithSecret<O extends KubeObject> {
  readonly kind: Resource
  readonly object: O
  readonly secret: KubeObject | undefined
}

/** Options of the two writes. `signal` ends a dry run only: a Secret whose response was not awaited would stay behind. */
export type PairOptions = Pick<WriteOptions, 'dryRun' | 'fieldManager' | 'signal'>

/** Creates a Secret, then the object that refers to it. If the second write fails, the first is removed. */
export async function createWithSecret<O extends KubeObject>(
  cluster: Pick<KubeClient, 'create' | 'delete'>,
  { kind, object, secret }: ObjectWithSecret<O>,
  { signal, ...options }: PairOptions,
): Promise<O> {
  const write: WriteOptions = { ...options, ...(options.dryRun === true && signal !== undefined ? { signal } : {}) }
  const made = secret && (await cluster.create(secrets, secret, write))
  try {
    return await cluster.create<O>(kind, object, write)
  } catch (error) {
    if (made !== undefined && options.dryRun !== true) await removeMade(cluster, made)
    throw error
  }
}

async function removeMade(cluster: Pick<KubeClient, 'delete'>, { metadata }: KubeObject): Promise<void> {
  const { namespace, name, uid } = metadata
  // The API server has accepted the names.
  const ref = { namespace, name } as ObjectRef
  await cluster.delete(secrets, ref, uid === undefined ? {} : { preconditions: { uid } }).catch(() => undefined)
}
