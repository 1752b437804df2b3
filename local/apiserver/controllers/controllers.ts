import type { Store } from '../storage/store.ts'
import type { Change, StoredVersion } from '../storage/stored.ts'
import { aggregate } from './aggregate-roles.ts'
import type { ControllerContext } from './garbage-collector.ts'
import { collectDependent, finishOwner } from './garbage-collector.ts'
import { emptyNamespace } from './namespace-deletion.ts'
import { ensureAccount } from './default-service-account.ts'

const NAMESPACES = '/namespaces'
const ACCOUNTS = '/serviceaccounts'
const CLUSTER_ROLES = 'rbac.authorization.k8s.io/clusterroles'

/**
 * Starts the controllers that kubectl relies on: garbage collection by owner, namespace deletion, default service
 * accounts, aggregated cluster roles. Each step is idempotent: a start completes steps that a crash interrupted.
 */
export function startControllers(context: ControllerContext): () => void {
  const { store } = context
  const stop = store.subscribeAll((change) => react(context, change))
  const catchUp = () => {
    for (const stored of store.all()) react(context, { rv: stored.rv, type: 'ADDED', stored, previous: undefined })
  }
  catchUp()
  // Writes of the controllers during a journal failure were undone.
  store.onRecovered(catchUp)
  return stop
}

function react(context: ControllerContext, change: Change): void {
  const { stored } = change
  // The listener runs after the sync: the object may have changed again.
  const current = change.type === 'DELETED' ? undefined : context.store.find(stored.id, stored.key)
  if (change.type === 'DELETED') afterRemoval(context, stored)
  else if (current) afterWrite(context, current)
  if (stored.id === CLUSTER_ROLES) aggregateRoles(context.store)
}

function afterWrite(context: ControllerContext, stored: StoredVersion): void {
  const { metadata } = stored.object
  if (metadata.ownerReferences) collectDependent(context, stored)
  if (metadata.deletionTimestamp) finishOwner(context, stored)
  if (stored.id !== NAMESPACES) return
  if (metadata.deletionTimestamp) emptyNamespace(context, stored)
  else ensureAccount(context, metadata.name)
}

function afterRemoval(context: ControllerContext, removed: StoredVersion): void {
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

function aggregateRoles(store: Store): void {
  const roles = store.list('rbac.authorization.k8s.io', 'clusterroles', '')
  for (const role of roles.slice()) {
    const next = role['aggregationRule'] ? aggregate(role, roles) : undefined
    if (next) store.put(CLUSTER_ROLES, role.metadata.name, next)
  }
}
