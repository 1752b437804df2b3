import type { Reconciler } from '#core/controllers/watch/declarations.ts'
import { toConditions } from '#core/controllers/conditions.ts'
import { writeStatus } from '#core/controllers/write-status.ts'
import { namespaceKind } from '#core/cluster/served-namespaces.ts'
import type { KubeClient, KubeObject, Resource } from '#core/kube/client.ts'
import { isStatus } from '#core/kube/status.ts'
import { Tenant } from '#schemas/crds/tenant.ts'
import type { TenantObject } from '#schemas/crds/tenant.ts'
import { resolveMembership } from './reconcile/membership.ts'
import type { ObservedNamespace } from './reconcile/membership.ts'
import { createTenantIndex } from './reconcile/tenant-index.ts'
import { MAX_NAMESPACES, tenantVerdicts } from './reconcile/tenant-status.ts'

/** Dependencies of the reconciler. */
export interface TenantReconcilerOptions {
  readonly cluster: KubeClient
  readonly now: () => Date
  /** Stores the namespaces to which the quota of a tenant applies; undefined without a store. */
  readonly record: ((tenant: TenantObject, namespaces: readonly string[]) => Promise<void>) | undefined
}

// If a watch misses the deletion of an older tenant, its namespaces become free without a notification.
const WHILE_IN_CONFLICT_MS = 15_000

/** Resolves the namespaces of tenants, records their quotas, and writes their status. Idempotent, so it may run unelected. */
export function tenantReconciler({ cluster, now, record }: TenantReconcilerOptions): Reconciler {
  const index = createTenantIndex()
  return {
    name: 'tenants',
    resource: Tenant,
    concern: ({ metadata: { uid, generation, deletionTimestamp } }) => [uid, generation, deletionTimestamp],
    watches: [
      { resource: namespaceKind, toRefs: async (namespace) => index.concernedBy(namespace) },
      { resource: Tenant, toRefs: async (tenant, _, change) => index.rivalsOf(tenant, change === 'deleted') },
    ],
    reconcile: async (ref) => {
      const tenant = await findTenant(cluster, ref)
      if (tenant === undefined || tenant.metadata.deletionTimestamp !== undefined) {
        index.remove(ref.name)
        return {}
      }
      index.set(tenant, index.namespacesOf(ref.name))
      const tenants = await listObjects<TenantObject>(cluster, Tenant)
      const observed = await listNamespaces(cluster)
      const found = resolveMembership(tenant, tenants, observed)
      index.set(tenant, found.namespaces)
      // Before the status, so that clients that react to the status find the quota in the store.
      await record?.(tenant, found.namespaces)
      const isUnselectable = observed === undefined && tenant.spec.namespaceSelector !== undefined
      const conditions = toConditions(tenant, tenantVerdicts({ ...found, isUnselectable }), now())
      const namespaces = found.namespaces.slice(0, MAX_NAMESPACES)
      const status = { observedGeneration: tenant.metadata.generation ?? 0, namespaces, conditions }
      if (!(await writeStatus(cluster, Tenant, tenant, status))) return { requeueAfterMs: 0 }
      return found.conflicts.length > 0 ? { requeueAfterMs: WHILE_IN_CONFLICT_MS } : {}
    },
  }
}

async function findTenant(cluster: KubeClient, ref: Parameters<KubeClient['get']>[1]) {
  try {
    return await cluster.get<TenantObject>(Tenant, ref)
  } catch (error) {
    if (isStatus(error, 404)) return undefined
    throw error
  }
}

// Undefined for a manager of chosen namespaces, which may not list all.
async function listNamespaces(cluster: KubeClient): Promise<readonly ObservedNamespace[] | undefined> {
  try {
    const objects = await listObjects(cluster, namespaceKind)
    return objects.map(({ metadata: { name, labels = {} } }) => ({ name, labels }))
  } catch (error) {
    if (isStatus(error, 403) || isStatus(error, 404)) return undefined
    throw error
  }
}

async function listObjects<O extends KubeObject>(cluster: KubeClient, resource: Resource): Promise<readonly O[]> {
  const items: O[] = []
  let next: string | undefined
  do {
    const page = await cluster.list<O>(resource, { limit: 500, ...(next === undefined ? {} : { continue: next }) })
    items.push(...page.items)
    next = page.continue
  } while (next !== undefined)
  return items
}
