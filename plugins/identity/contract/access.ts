import { accessVerbs } from '#core/cluster/roles/access-rule.ts'
import type { AccessRule } from '#core/cluster/roles/access-rule.ts'

/** Rights on namespaces. */
export const identityAccess: readonly AccessRule[] = [
  {
    group: '',
    resource: 'namespaces',
    scope: 'Cluster',
    reason: 'A RoleBinding makes this the bound namespace itself, nothing more.',
    viewer: ['get'],
  },
  { group: '', resource: 'namespaces', scope: 'Cluster', operator: accessVerbs },
]
