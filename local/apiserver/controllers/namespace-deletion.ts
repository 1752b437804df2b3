import { part } from '../json/kube-object.ts'
import type { StoredVersion } from '../storage/stored.ts'
import type { ControllerContext } from './garbage-collector.ts'
import { removeStored } from './garbage-collector.ts'

const NAMESPACES = '/namespaces'

/** Deletes all objects of a terminating namespace, and the namespace once it is empty. */
export function emptyNamespace(context: ControllerContext, namespace: StoredVersion): void {
  const { name } = namespace.object.metadata
  const stores = new Set(context.kinds.all.filter((kind) => kind.namespaced).map((kind) => kind.storeId))
  let left = 0
  for (const id of stores) {
    for (const stored of context.store.range(id, name)) {
      if (!stored.object.metadata.deletionTimestamp) removeStored(context, stored, 'Background')
      if (context.store.find(id, stored.key)) left += 1
    }
  }
  const current = context.store.find(NAMESPACES, name)
  if (left > 0 || !current) return
  if (current.object.metadata.finalizers?.length) {
    if (Array.isArray(part(current.object, 'spec')['finalizers'])) {
      context.store.put(NAMESPACES, name, { ...current.object, spec: {} })
    }
  } else context.store.remove(NAMESPACES, name)
}
