import type { KubeObject, Resource } from '#core/kube/client.ts'
import { groupKey, SYSTEM_NAMESPACE } from '#schemas/names/group.ts'
import { accountRoles, personaRoles } from './access-rule.ts'
import type { AccessRule, GrantedRole } from './access-rule.ts'
import { policyRules } from './policy-rules.ts'
import type { PolicyRule } from './policy-rules.ts'

const group = 'rbac.authorization.k8s.io'

/** A ClusterRole or its binding. Rules keep their reasons, which only a manifest shows. */
export interface RoleObject extends KubeObject {
  readonly kind: 'ClusterRole' | 'ClusterRoleBinding'
  readonly rules?: readonly PolicyRule[]
}

/** REST coordinates of the objects of roles. */
export const roleResources: readonly Resource[] = [
  { group, version: 'v1', plural: 'clusterroles', kind: 'ClusterRole', namespaced: false },
  { group, version: 'v1', plural: 'clusterrolebindings', kind: 'ClusterRoleBinding', namespaced: false },
]

/** The ClusterRoles of the platform, complete, and the bindings of its accounts. Names of ClusterRoles are those of deploy/rbac. */
export function completeRoles(access: readonly AccessRule[]): readonly RoleObject[] {
  return [...personaRoles, ...accountRoles].flatMap((role) => roleWithBinding(`mesh-${role}`, role, access))
}

/**
 * Like {@link completeRoles}, for a cluster whose controllers aggregate roles: a persona also gets the rules of `mesh-plugin-*` roles. Its own
 * rules are also in `mesh-<persona>-base`, since the controller replaces the rules of the persona by the aggregated ones.
 */
export function shippedRoles(role: GrantedRole, access: readonly AccessRule[]): readonly RoleObject[] {
  const own = roleWithBinding(`mesh-${role}`, role, access)
  if (!isPersona(role)) return own
  const matchLabels = aggregationLabels(role)
  return own.flatMap((persona) => [
    { ...persona, aggregationRule: { clusterRoleSelectors: [{ matchLabels }] } },
    labelled({ ...persona, metadata: { name: `${persona.metadata.name}-base` } }, role),
  ])
}

/** Roles that a plugin adds to an installation: aggregated into the personas, bound to the accounts. */
export function pluginRoles(plugin: string, access: readonly AccessRule[]): readonly RoleObject[] {
  return [...personaRoles, ...accountRoles].flatMap((role) => {
    if (policyRules(role, access).length === 0) return []
    const own = roleWithBinding(`mesh-plugin-${plugin}-${role}`, role, access)
    return isPersona(role) ? own.map((persona) => labelled(persona, role)) : own
  })
}

/** The object in the form that an API server accepts. */
export function withoutReasons({ rules, ...object }: RoleObject): KubeObject {
  if (rules === undefined) return object
  return { ...object, rules: rules.map(({ apiGroups, resources, verbs }) => ({ apiGroups, resources, verbs })) }
}

function roleWithBinding(name: string, role: GrantedRole, access: readonly AccessRule[]): readonly RoleObject[] {
  const metadata = { name }
  const own: RoleObject = { apiVersion: `${group}/v1`, kind: 'ClusterRole', metadata, rules: policyRules(role, access) }
  if (isPersona(role)) return [own]
  const subjects = [{ kind: 'ServiceAccount', name: `mesh-${role}`, namespace: SYSTEM_NAMESPACE }]
  const roleRef = { apiGroup: group, kind: 'ClusterRole', name }
  return [own, { apiVersion: `${group}/v1`, kind: 'ClusterRoleBinding', metadata, roleRef, subjects }]
}

// Selected by the aggregation of the persona.
function labelled(object: RoleObject, role: GrantedRole): RoleObject {
  return { ...object, metadata: { ...object.metadata, labels: aggregationLabels(role) } }
}

function aggregationLabels(role: GrantedRole): Readonly<Record<string, string>> {
  return { [groupKey(`aggregate-to-${role}`)]: 'true' }
}

function isPersona(role: GrantedRole): boolean {
  return personaRoles.some((name) => name === role)
}
