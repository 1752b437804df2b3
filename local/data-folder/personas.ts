import type { KubeObject, ObjectMeta } from '#core/kube/client.ts'

/** The users of the embedded default; each has a token and a kubeconfig context of that name. */
export const personas = ['admin', 'operator', 'developer', 'viewer', 'other-tenant'] as const

/** One of `personas`. */
export type Persona = (typeof personas)[number]

/** Namespaces of the embedded default, in addition to the standard ones. */
export const demoNamespaces = ['demo', 'other'] as const

/** Cluster user of a persona. */
export function userOf(persona: Persona): {
  readonly username: string
  readonly uid: string
  readonly groups: string[]
} {
  // The API server adds system:authenticated itself.
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

/** Role bindings of the personas to the shipped roles. */
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
