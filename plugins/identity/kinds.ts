import { accessVerbs, statusVerbs } from '#core/cluster/roles/access-rule.ts'
import type { AccessRule } from '#core/cluster/roles/access-rule.ts'
import { crud } from '#core/plugin/crud.ts'
import { Tenant } from '#schemas/crds/tenant.ts'

/** Groups of namespaces, written by operators with kubectl. */
export const tenantKind = crud(Tenant, {
  verbs: [],
  personas: 'operators',
  sample: { namespaces: ['demo'], quota: { spend: { amount: '100' }, requestsPerMinute: 60, concurrency: 4 } },
})

/** Rights on namespaces and tenants. */
export const identityAccess: readonly AccessRule[] = [
  {
    group: '',
    resource: 'namespaces',
    scope: 'Cluster',
    reason: 'A RoleBinding makes this the bound namespace itself, nothing more.',
    viewer: ['get'],
  },
  { group: '', resource: 'namespaces', scope: 'Cluster', operator: accessVerbs },
  { resource: 'tenants/status', scope: 'Cluster', manager: statusVerbs },
]
