import type { Resource } from '#core/kube/client.ts'
import type { Kind } from '#schemas/kind.ts'

/** REST coordinates of a kind of ours. */
export function kubeResource({ group, version, plural, kind, scope }: KindNames): Resource {
  return { group, version, plural, kind, namespaced: scope === 'Namespaced' }
}

type KindNames = Pick<Kind, 'group' | 'version' | 'plural' | 'kind' | 'scope'>

/** Kubernetes Secrets. */
export const secrets: Resource = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true }
