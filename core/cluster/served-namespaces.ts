import type { Resource } from '#core/kube/client.ts'
import { isLabel, parseLabel } from '#core/kube/names.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { KubeError } from '#core/kube/status.ts'

/** The namespaces that this installation serves (`cluster.namespaces`). */
export interface ServedNamespaces {
  /** In name order; undefined: every namespace. */
  readonly names: readonly DnsLabel[] | undefined
  /** Whether objects of that namespace are served; '' is the cluster itself. */
  has(namespace: string): boolean
}

/** No restriction. */
export const everyNamespace: ServedNamespaces = { names: undefined, has: () => true }

/** Namespaces of a list; an empty one is every namespace. Throws `InvalidName`. */
export function servedNamespaces(names: readonly string[]): ServedNamespaces {
  if (names.length === 0) return everyNamespace
  const served = new Set<string>(names.map((name) => parseLabel('cluster.namespaces', name)))
  return { names: [...served].filter(isLabel).toSorted(), has: (name) => name === '' || served.has(name) }
}

/** Reason of the error for a namespace that is not served. */
export const NAMESPACE_NOT_SERVED = 'NamespaceNotServed'

/** The answer for a namespace that is not served: the same for every caller, made without asking the cluster. */
export function notServed(namespace: string): KubeError {
  return new KubeError(404, NAMESPACE_NOT_SERVED, `This installation does not serve the namespace ${namespace}.`)
}

/** Kubernetes namespaces: cluster-scoped, each of them is its own namespace here. */
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

/** What is followed of a resource: all of it as one (undefined), or each served namespace by itself. */
export function partsOf(resource: Resource, { names }: ServedNamespaces): readonly (DnsLabel | undefined)[] {
  if (names === undefined) return [undefined]
  return resource.namespaced || isNamespaceKind(resource) ? names : [undefined]
}

/** The part of a list or watch; a Namespace is selected by its name, which RBAC can allow by `resourceNames`. */
export function partQuery(resource: Resource, namespace: DnsLabel | undefined) {
  if (namespace === undefined) return {}
  return resource.namespaced ? { namespace } : { fieldSelector: `metadata.name=${namespace}` }
}
