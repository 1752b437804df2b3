import type { Cluster } from './cluster.ts'

/** Creates a user bound to one of the shipped ClusterRoles, in one namespace or in all, and returns its bearer. */
export async function makeCaller(cluster: Cluster, name: string, role: string, namespace?: string): Promise<string> {
  const metadata = namespace === undefined ? { name } : { name, namespace }
  const objects = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'people' } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: 'people' } },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'ServiceAccount', name, namespace: 'people' }],
    },
  ]
  await cluster.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }))
  return (await cluster.kubectl(['create', 'token', name, '-n', 'people', '--duration=1h'])).trim()
}
