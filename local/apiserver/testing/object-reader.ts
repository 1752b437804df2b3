import type { KubeObject } from '../json/kube-object.ts'
import type { ObjectReader } from '../storage/object-reader.ts'

/** A reader of fixed objects for unit tests; the plural is the lower-case kind with an s. */
export function createReader(
  initial: readonly KubeObject[],
): ObjectReader & { remove(resource: string, namespace: string, name: string): void } {
  let version = 1
  let objects = [...initial]
  const is = (object: KubeObject, group: string, resource: string, namespace: string) =>
    `${object.kind.toLowerCase()}s` === resource &&
    (object.apiVersion.includes('/') ? object.apiVersion.split('/')[0] : '') === group &&
    (namespace === '' || object.metadata.namespace === namespace)
  return {
    get: (group, resource, namespace, name) =>
      objects.find((each) => is(each, group, resource, namespace) && each.metadata.name === name),
    list: (group, resource, namespace) => objects.filter((each) => is(each, group, resource, namespace)),
    version: () => version,
    remove(resource, namespace, name) {
      objects = objects.filter((each) => {
        const named = each.metadata.name === name && (each.metadata.namespace ?? '') === namespace
        return !(named && `${each.kind.toLowerCase()}s` === resource)
      })
      version += 1
    },
  }
}
