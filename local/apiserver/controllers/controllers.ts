import { part } from '../json/kube-object.ts'
import type { KubeObject } from '../json/kube-object.ts'
import type { Kinds } from '../kinds/kind-table.ts'
import { deleteObject } from '../rules/deletion.ts'
import type { Propagation } from '../rules/deletion.ts'
import { stampNew } from '../rules/metadata.ts'
import type { Store } from '../storage/store.ts'
import { objectKey } from '../storage/stored.ts'
import type { Change, Stored } from '../storage/stored.ts'
import { aggregate } from './aggregate-roles.ts'

const NAMESPACES = '/namespaces'
const ACCOUNTS = '/serviceaccounts'
const CLUSTER_ROLES = 'rbac.authorization.k8s.io/clusterroles'

interface Context {
  store: Store
  kinds: Kinds
  now: () => Date
}

/**
 * Starts the controllers that kubectl relies on: garbage collection by owner, namespace deletion, default service
 * accounts, aggregated cluster roles. Each step is idempotent: a start completes steps that a crash interrupted.
 */
export function startControllers(context: Context): () => void {
  const { store } = context
  const stop = store.subscribeAll((change) => react(context, change))
  const catchUp = () => {
    for (const stored of store.all()) react(context, { rv: stored.rv, type: 'ADDED', stored, previous: undefined })
  }
  catchUp()
  // Their writes during a journal failure were undone.
  store.onRecovered(catchUp)
  return stop
}

function react(context: Context, change: Change): void {
  const { stored } = change
  // The listener runs after the sync: the object may have changed again.
  const current = change.type === 'DELETED' ? undefined : context.store.find(stored.id, stored.key)
  if (change.type === 'DELETED') afterRemoval(context, stored)
  else if (current) afterWrite(context, current)
  if (stored.id === CLUSTER_ROLES) aggregateRoles(context.store)
}

function afterWrite(context: Context, stored: Stored): void {
  const { metadata } = stored.object
  if (metadata.ownerReferences) collectDependent(context, stored)
  if (metadata.deletionTimestamp) finishOwner(context, stored)
  if (stored.id !== NAMESPACES) return
  if (metadata.deletionTimestamp) emptyNamespace(context, stored)
  else ensureAccount(context, metadata.name)
}

function afterRemoval(context: Context, removed: Stored): void {
  const { uid, ownerReferences, namespace } = removed.object.metadata
  for (const dependent of uid ? context.store.dependents(uid) : []) collectDependent(context, dependent)
  for (const owner of ownerReferences ?? []) {
    const waiting = context.store.byUid(owner.uid)
    if (waiting?.object.metadata.deletionTimestamp) finishOwner(context, waiting)
  }
  const home = namespace ? context.store.find(NAMESPACES, namespace) : undefined
  if (home?.object.metadata.deletionTimestamp) emptyNamespace(context, home)
  else if (home && removed.id === ACCOUNTS) ensureAccount(context, home.object.metadata.name)
}

function remove(context: Context, stored: Stored, propagation: Propagation): void {
  const kind = context.kinds.byStore(stored.id)
  const current = context.store.find(stored.id, stored.key)
  if (kind && current) deleteObject(context.store, kind, current, { options: { propagation }, now: context.now() })
}

/** Deletes an object without live owners; drops references to deleted owners if another owner is alive. */
function collectDependent(context: Context, dependent: Stored): void {
  const owners = dependent.object.metadata.ownerReferences ?? []
  const current = context.store.find(dependent.id, dependent.key)
  if (!current || current.object.metadata.deletionTimestamp) return
  const lost = owners.filter((owner) => !isAlive(context, dependent, owner.uid))
  if (lost.length === 0) return
  if (lost.length === owners.length) remove(context, current, 'Background')
  else dropOwners(context.store, current, new Set(lost.map((owner) => owner.uid)))
}

/** An owner is alive if its uid exists in the dependent's namespace or cluster-wide: ownership does not cross namespaces. */
function isAlive({ store }: Context, dependent: Stored, uid: string): boolean {
  const namespace = store.byUid(uid)?.object.metadata.namespace
  return (
    store.byUid(uid) !== undefined && (namespace === undefined || namespace === dependent.object.metadata.namespace)
  )
}

function dropOwners(store: Store, stored: Stored, uids: ReadonlySet<string>): void {
  const { ownerReferences = [], ...rest } = stored.object.metadata
  const kept = ownerReferences.filter((owner) => !uids.has(owner.uid))
  const metadata = kept.length > 0 ? { ...rest, ownerReferences: kept } : rest
  store.put(stored.id, stored.key, { ...stored.object, metadata })
}

/** Processes the garbage collector's finalizers of an owner that is being deleted. */
function finishOwner(context: Context, owner: Stored): void {
  const { finalizers = [], uid = '' } = owner.object.metadata
  const dependents = context.store.dependents(uid)
  if (finalizers.includes('orphan')) {
    for (const dependent of dependents) dropOwners(context.store, dependent, new Set([uid]))
    release(context, owner, 'orphan')
  } else if (finalizers.includes('foregroundDeletion')) {
    for (const dependent of dependents) remove(context, dependent, 'Foreground')
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

function release(context: Context, owner: Stored, finalizer: string): void {
  const current = context.store.find(owner.id, owner.key)
  if (!current) return
  const { finalizers = [], ...rest } = current.object.metadata
  const kept = finalizers.filter((name) => name !== finalizer)
  if (kept.length === 0) context.store.remove(current.id, current.key)
  else context.store.put(current.id, current.key, { ...current.object, metadata: { ...rest, finalizers: kept } })
}

/** Deletes all objects of a terminating namespace, and the namespace once it is empty. */
function emptyNamespace(context: Context, namespace: Stored): void {
  const { name } = namespace.object.metadata
  const stores = new Set(context.kinds.all.filter((kind) => kind.namespaced).map((kind) => kind.storeId))
  let left = 0
  for (const id of stores) {
    for (const stored of context.store.range(id, name)) {
      if (!stored.object.metadata.deletionTimestamp) remove(context, stored, 'Background')
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

function ensureAccount({ store, kinds, now }: Context, namespace: string): void {
  const kind = kinds.byStore(ACCOUNTS)
  if (!kind || store.find(ACCOUNTS, objectKey(namespace, 'default'))) return
  const object: KubeObject = { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: 'default' } }
  stampNew(object, kind, namespace, now())
  store.put(ACCOUNTS, objectKey(namespace, 'default'), object)
}

function aggregateRoles(store: Store): void {
  const roles = store.list('rbac.authorization.k8s.io', 'clusterroles', '')
  for (const role of roles.slice()) {
    const next = role['aggregationRule'] ? aggregate(role, roles) : undefined
    if (next) store.put(CLUSTER_ROLES, role.metadata.name, next)
  }
}
