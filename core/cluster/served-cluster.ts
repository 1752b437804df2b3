import type { KubeClient, KubeObject, ListOptions, ObjectRef, Resource } from '#core/kube/client.ts'
import { isNamespaceKind, notServed } from './served-namespaces.ts'
import type { ServedNamespaces } from './served-namespaces.ts'

/**
 * A client that sends no request about a namespace that is not served: it throws the 404 that says so, whether or not the namespace
 * exists and whatever the identity may. A list of all namespaces has the served ones only.
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
      // Its bytes pass unread, so nothing could be left out.
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
