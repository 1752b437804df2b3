import type { DeniedRight } from '../../api/api-problem.ts'

/** The resource with its group, as the cluster writes it: `tenants.mesh.dev`. */
export function toResourceName({ resource, group }: DeniedRight): string {
  return group === '' ? resource : `${resource}.${group}`
}

/** A sentence and a manifest, for the person who may grant the right. */
export function toAccessRequest(right: DeniedRight, sentence: string): string {
  const { verb, resource, group, namespace } = right
  const kind = namespace === undefined ? 'ClusterRole' : 'Role'
  const [plain = resource] = resource.split('/')
  return `${sentence}

apiVersion: rbac.authorization.k8s.io/v1
kind: ${kind}
metadata:
  name: ${JSON.stringify(`${verb}-${plain}`)}${namespace === undefined ? '' : `\n  namespace: ${JSON.stringify(namespace)}`}
rules:
  - apiGroups: [${JSON.stringify(group)}]
    resources: [${JSON.stringify(resource)}]
    verbs: [${JSON.stringify(verb)}]
`
}
