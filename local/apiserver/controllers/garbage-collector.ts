import type { Kinds } from '../kinds/kind-table.ts'
import { deleteObject } from '../rules/deletion.ts'
import type { Propagation } from '../rules/deletion.ts'
import type { Store } from '../storage/store.ts'
import type { StoredVersion } from '../storage/stored.ts'

/** Dependencies of the controllers of stored objects. */
export interface ControllerContext {
  store: Store
  kinds: Kinds
  now: () => Date
}

/** Deletes an object under the propagation policy. */
export function removeStored(context: ControllerContext, stored: StoredVersion, propagation: Propagation): void {
  const kind = context.kinds.byStore(stored.id)
  const current = context.store.find(stored.id, stored.key)
  if (kind && current) deleteObject(context.store, kind, current, { options: { propagation }, now: context.now() })
}

/** Deletes an object without live owners; drops references to deleted owners if another owner is alive. */
export function collectDependent(context: ControllerContext, dependent: StoredVersion): void {
  const owners = dependent.object.metadata.ownerReferences ?? []
  const current = context.store.find(dependent.id, dependent.key)
  if (!current || current.object.metadata.deletionTimestamp) return
  const lost = owners.filter((owner) => !isAlive(context, dependent, owner.uid))
  if (lost.length === 0) return
  if (lost.length === owners.length) removeStored(context, current, 'Background')
  else dropOwners(context.store, current, new Set(lost.map((owner) => owner.uid)))
}

/** An owner is alive if its uid exists in the dependent's namespace or cluster-wide: ownership does not cross namespaces. */
function isAlive({ store }: ControllerContext, dependent: StoredVersion, uid: string): boolean {
  const namespace = store.byUid(uid)?.object.metadata.namespace
  return (
    store.byUid(uid) !== undefined && (namespace === undefined || namespace === dependent.object.metadata.namespace)
  )
}

function dropOwners(store: Store, stored: StoredVersion, uids: ReadonlySet<string>): void {
  const { ownerReferences = [], ...rest } = stored.object.metadata
  const kept = ownerReferences.filter((owner) => !uids.has(owner.uid))
  const metadata = kept.length > 0 ? { ...rest, ownerReferences: kept } : rest
  store.put(stored.id, stored.key, { ...stored.object, metadata })
}

/** Processes the garbage collector's finalizers of an owner that is being deleted. */
export function finishOwner(context: ControllerContext, owner: StoredVersion): void {
  const { finalizers = [], uid = '' } = owner.object.metadata
  const dependents = context.store.dependents(uid)
  if (finalizers.includes('orphan')) {
    for (const dependent of dependents) dropOwners(context.store, dependent, new Set([uid]))
    release(context, owner, 'orphan')
  } else if (finalizers.includes('foregroundDeletion')) {
    for (const dependent of dependents) removeStored(context, dependent, 'Foreground')
    const blocking = context.store
      .dependents(uid)
      .filter((dependent) =>
        dependent.object.metadata.ownerReferences?.some(
          (reference) => reference.uid === uid && reference.blockOwnerDeletion,
        ),
      )
    if (blocking.length === 0) release(context, owner, 'foregroundDeletion')
  }
}

function release(context: ControllerContext, owner: StoredVersion, finalizer: string): void {
  const current = context.store.find(owner.id, owner.key)
  if (!current) return
  const { finalizers = [], ...rest } = current.object.metadata
  const kept = finalizers.filter((name) => name !== finalizer)
  if (kept.length === 0) context.store.remove(current.id, current.key)
  else context.store.put(current.id, current.key, { ...current.object, metadata: { ...rest, finalizers: kept } })
}
