import { statusVerbs } from '#core/cluster/roles/access-rule.ts'
import type { AccessRule } from '#core/cluster/roles/access-rule.ts'
import { crud } from '#core/plugin/crud.ts'
import { Tenant } from '#schemas/crds/tenant.ts'

/** Groups of namespaces, changed and deleted with kubectl. */
export const tenantKind = crud(Tenant, {
  verbs: ['list', 'create', 'get'],
  // Resource of `GET /api/tenants/usage`.
  reserved: ['usage'],
  personas: 'operators',
  sample: { namespaces: ['demo'], quota: { spend: { amount: '100' }, requestsPerMinute: 60, concurrency: 4 } },
})

/** Rights on the usage of tenants, and of the manager on their status. */
export const tenantsAccess: readonly AccessRule[] = [
  { resource: 'tenantusage', kind: 'TenantUsage', scope: 'Cluster', operator: ['get', 'list'] },
  { resource: 'tenants/status', scope: 'Cluster', manager: statusVerbs },
]
