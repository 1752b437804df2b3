import type { Resource } from '#core/kube/client.ts'
import { isLabel, parseLabel } from '#core/kube/names.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { KubeError } from '#core/kube/status.ts'

/** Namespaces that this installation serves (`cluster.namespaces`). */
export interface ServedNamespaces {
  /** In name order; undefined for every namespace. */
  readonly names: readonly DnsLabel[] | undefined
  /** Whether objects of the namespace are served; '' is the cluster scope. */
  has(namespace: string): boolean
}

/** No restriction. */
export const everyNamespace: ServedNamespaces = { names: undefined, has: () => true }

/** Creates the selection from a list; an empty list selects every namespace. Throws `InvalidName`. */
export function servedNamespaces(names: readonly string[]): ServedNamespaces {
  if (names.length === 0) return everyNamespace
  const served = new Set<string>(names.map((name) => parseLabel('cluster.namespaces', name)))
  return { names: [...served].filter(isLabel).toSorted(), has: (name) => name === '' || served.has(name) }
}

/** Status reason for a namespace that is not served. */
export const NAMESPACE_NOT_SERVED = 'NamespaceNotServed'

/** Error for a namespace that is not served: equal for every caller, created without a request to the cluster. */
export function notServed(namespace: string): KubeError {
  return new KubeError(404, NAMESPACE_NOT_SERVED, `This installation does not serve the namespace ${namespace}.`)
}

/** Kubernetes namespaces: cluster-scoped, and each is treated as its own namespace here. */
export const namespaceKind: Resource = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
}

/** Whether a resource is `namespaces`. */
export function isNamespaceKind({ group, plural }: Resource): boolean {
  return group === '' && plural === 'namespaces'
}

/** Parts of a resource to watch: the whole cluster (undefined), or each served namespace separately. */
export function partsOf(resource: Resource, { names }: ServedNamespaces): readonly (DnsLabel | undefined)[] {
  if (names === undefined) return [undefined]
  return resource.namespaced || isNamespaceKind(resource) ? names : [undefined]
}

/** Query of one part. A Namespace is selected by name, which RBAC can allow by `resourceNames`. */
export function partQuery(resource: Resource, namespace: DnsLabel | undefined) {
  if (namespace === undefined) return {}
  return resource.namespaced ? { namespace } : { fieldSelector: `metadata.name=${namespace}` }
}
