import type { KubeClient, KubeObject, ListOptions, ObjectRef, Resource } from '#core/kube/client.ts'
import { isNamespaceKind, notServed } from './served-namespaces.ts'
import type { ServedNamespaces } from './served-namespaces.ts'

/**
 * Wraps a client: a request for a namespace that is not served throws a 404 without being sent, whether or not the namespace exists. A list
 * of all namespaces is limited to the served ones.
 */
export function servedCluster(cluster: KubeClient, served: ServedNamespaces): KubeClient {
  if (served.names === undefined) return cluster
  const check = (namespace: string | undefined): void => {
    if (namespace !== undefined && !served.has(namespace)) throw notServed(namespace)
  }
  const checkRef = (resource: Resource, ref: ObjectRef): void =>
    check(isNamespaceKind(resource) ? ref.name : ref.namespace)
  const checkObject = (resource: Resource, { metadata }: KubeObject): void =>
    check(isNamespaceKind(resource) ? metadata.name : metadata.namespace)
  const isServed = (resource: Resource, { metadata }: KubeObject): boolean =>
    served.has((isNamespaceKind(resource) ? metadata.name : metadata.namespace) ?? '')
  return {
    ...cluster,
    get: async (resource, ref, options) => {
      checkRef(resource, ref)
      return cluster.get(resource, ref, options)
    },
    list: async <O extends KubeObject>(resource: Resource, options?: ListOptions) => {
      check(options?.namespace)
      const page = await cluster.list<O>(resource, options)
      return { ...page, items: page.items.filter((item) => isServed(resource, item)) }
    },
    listRaw: async (resource, options) => {
      check(options?.namespace)
      // The bytes are passed unparsed, so nothing could be filtered.
      if (resource.namespaced && options?.namespace === undefined) throw new TypeError('a raw list needs a namespace')
      return cluster.listRaw(resource, options)
    },
    create: async (resource, object, options) => {
      checkObject(resource, object)
      return cluster.create(resource, object, options)
    },
    replace: async (resource, object, options) => {
      checkObject(resource, object)
      return cluster.replace(resource, object, options)
    },
    patch: async (resource, ref, patch, options) => {
      checkRef(resource, ref)
      return cluster.patch(resource, ref, patch, options)
    },
    delete: async (resource, ref, options) => {
      checkRef(resource, ref)
      return cluster.delete(resource, ref, options)
    },
    podLogs: async (ref, options) => {
      check(ref.namespace)
      return cluster.podLogs(ref, options)
    },
  }
}
