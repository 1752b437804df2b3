import { mapConcurrently } from '#core/async/map-concurrently.ts'
import type { KubeClient, KubeObject, ObjectRef } from '#core/kube/client.ts'
import { objectRefOf } from '#core/controllers/object-ref.ts'
import { isLabel } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import type { AgentTrigger, PodPart } from '#plugins/agents/contract/points.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { Tenant } from '#schemas/crds/tenant.ts'
import type { TenantObject } from '#schemas/crds/tenant.ts'
import { isLimiting, toQuota } from './store/record-quota.ts'

// Compensates for a notification that was lost with its watch.
const MAX_AGE_MS = 60_000

/**
 * Routes the model calls of agents in a tenant with a quota through their launchers. The trigger reconciles them when namespaces join or
 * leave. Tenants are listed once per change, not once per agent.
 */
export function createQuotaPodPart(now: () => number = () => performance.now()) {
  let listed: { readonly until: number; readonly namespaces: Promise<ReadonlySet<string>> } | undefined
  const limited = (cluster: KubeClient): Promise<ReadonlySet<string>> => {
    if (listed !== undefined && listed.until > now()) return listed.namespaces
    const own = { until: now() + MAX_AGE_MS, namespaces: listLimited(cluster) }
    listed = own
    own.namespaces.catch(() => {
      if (listed === own) listed = undefined
    })
    return own.namespaces
  }
  const part: PodPart = async ({ metadata: { namespace = '' } }, cluster) =>
    (await limited(cluster)).has(namespace) ? { modelProxy: true, launcher: { money: true } } : undefined
  const before = new Map<string, readonly string[]>()
  const trigger: AgentTrigger = {
    name: 'tenants',
    resource: Tenant,
    agentsOf: async (object, cluster, change) => {
      listed = undefined
      const { name } = object.metadata
      const was = before.get(name) ?? []
      const is = change === 'deleted' ? [] : limitedNamespacesOf(object as TenantObject)
      const changed = [...is.filter((one) => !was.includes(one)), ...was.filter((one) => !is.includes(one))]
      const agents = await mapConcurrently(changed, (namespace) => agentsIn(cluster, namespace))
      // Recorded after the lists: a change whose handler failed is repeated.
      if (is.length === 0) before.delete(name)
      else before.set(name, is)
      return agents.flat()
    },
  }
  return { part, trigger }
}

async function listLimited(cluster: KubeClient): Promise<ReadonlySet<string>> {
  const { items } = await cluster.list<TenantObject>(Tenant)
  return new Set(items.flatMap(limitedNamespacesOf))
}

function limitedNamespacesOf(tenant: TenantObject): readonly string[] {
  const { metadata, status } = tenant
  return metadata.deletionTimestamp === undefined && isLimiting(toQuota(tenant)) ? (status?.namespaces ?? []) : []
}

async function agentsIn(cluster: KubeClient, namespace: string): Promise<readonly ObjectRef[]> {
  if (!isLabel(namespace)) return []
  try {
    const { items } = await cluster.list<KubeObject>(AgentDeployment, { namespace })
    return items.map(objectRefOf)
  } catch (error) {
    // A namespace that this installation does not serve has none of its agents.
    if (isStatus(error, 403) || isStatus(error, 404)) return []
    throw error
  }
}
