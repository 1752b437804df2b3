import type { KubeObject, ObjectMeta } from '#core/kube/client.ts'

/** The people of the embedded default; each has a token and a kubeconfig context of that name. */
export const personas = ['admin', 'operator', 'developer', 'viewer', 'other-tenant'] as const

/** One of `personas`. */
export type Persona = (typeof personas)[number]

/** Namespaces of the embedded default, beside those that every cluster has. */
export const demoNamespaces = ['demo', 'other'] as const

/** Who a persona is to the cluster. */
export function userOf(persona: Persona): {
  readonly username: string
  readonly uid: string
  readonly groups: string[]
} {
  // The API server adds system:authenticated itself, as a real one does.
  const groups = persona === 'admin' ? ['system:masters'] : []
  return { username: persona, uid: `persona-${persona}`, groups }
}

interface Binding {
  readonly persona: Persona
  readonly role: string
  /** Absent: in the whole cluster. */
  readonly namespaces?: readonly string[]
}

const bindings: readonly Binding[] = [
  { persona: 'viewer', role: 'mesh-viewer', namespaces: ['default', 'demo'] },
  { persona: 'developer', role: 'mesh-developer', namespaces: ['default', 'demo'] },
  { persona: 'other-tenant', role: 'mesh-developer', namespaces: ['other'] },
  { persona: 'operator', role: 'mesh-operator' },
]

/** The role bindings that make a persona what it is: the shipped roles, bound as an operator would bind them. */
export function personaBindings(): readonly KubeObject[] {
  return bindings.flatMap(({ persona, role, namespaces }) =>
    namespaces
      ? namespaces.map((namespace) => binding('RoleBinding', { name: `mesh-${persona}`, namespace }, persona, role))
      : [binding('ClusterRoleBinding', { name: `mesh-${persona}` }, persona, role)],
  )
}

function binding(
  kind: 'RoleBinding' | 'ClusterRoleBinding',
  metadata: ObjectMeta,
  persona: Persona,
  role: string,
): KubeObject {
  const apiGroup = 'rbac.authorization.k8s.io'
  return {
    apiVersion: `${apiGroup}/v1`,
    kind,
    metadata,
    roleRef: { apiGroup, kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup, kind: 'User', name: persona }],
  }
}
