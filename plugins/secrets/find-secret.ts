import type { KubeClient, KubeObject, Resource } from '#core/kube/client.ts'
import { findNamedObject } from '#core/kube/find-named-object.ts'
import type { SecretBindingObject } from '#schemas/crds/secret-binding.ts'
import { isPlatformSecret } from '#schemas/kinds/platform-secrets.ts'

const secrets: Resource = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true }

type Secret = KubeObject & { readonly data?: Readonly<Record<string, string>> }

/** A problem of a binding. */
export interface SecretProblem {
  readonly reason: 'SecretMissing' | 'SecretNotForAgents' | 'KeyMissing'
  readonly message: string
}

/** Returns the problem of a binding, or undefined. The message contains names only, never a value. */
export async function findSecretProblem(
  cluster: Pick<KubeClient, 'get'>,
  { metadata: { namespace = '' }, spec }: SecretBindingObject,
): Promise<SecretProblem | undefined> {
  const { name } = spec.secretRef
  const named = `Secret ${namespace}/${name}`
  const secret = await findNamedObject<Secret>(cluster, secrets, { namespace, name })
  if (secret === undefined) return { reason: 'SecretMissing', message: `${named} does not exist.` }
  if (isPlatformSecret(secret.metadata))
    return { reason: 'SecretNotForAgents', message: `${named} is kept by the platform for itself.` }
  const missing = spec.env.filter(({ key }) => !Object.hasOwn(secret.data ?? {}, key)).map(({ key }) => key)
  if (missing.length === 0) return undefined
  return { reason: 'KeyMissing', message: `${named} has no key ${missing.slice(0, 20).join(', ')}.` }
}
