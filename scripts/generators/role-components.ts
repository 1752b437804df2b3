import { accountRoles } from '#core/cluster/roles/access-rule.ts'
import type { AccessRule, GrantedRole } from '#core/cluster/roles/access-rule.ts'
import { toManifest } from '#core/cluster/roles/manifest.ts'
import { policyRules } from '#core/cluster/roles/policy-rules.ts'
import { accessOfPlugins } from '#core/plugin/access-of-plugins.ts'
import { plugins } from '#plugins/index.ts'
import { SYSTEM_NAMESPACE } from '#schemas/names/group.ts'

const apiGroup = 'rbac.authorization.k8s.io'
const generated = 'Generated from `access`, `kinds` and `informers` of plugins by `npm run generate`; do not edit.'
const components = 'deploy/components'

/** Roles of the components that bind the platform's accounts to chosen namespaces. */
export async function generate(): Promise<Map<string, string>> {
  const access = accessOfPlugins(plugins)
  return new Map([
    [`${components}/namespaced/kustomization.yaml`, clusterPatches(access)],
    [`${components}/namespaced/namespace.yaml`, rolesOfNamespace(access)],
    [`${components}/namespaced-writes/cluster-roles.yaml`, readsOfCluster(access)],
    [`${components}/namespaced-writes/state.yaml`, `# ${generated}\n${clusterRules('state', access)}`],
  ])
}

// A Namespace is granted by name, in namespace.yaml.
const isNamespaces = ({ group, resource }: AccessRule): boolean => group === '' && resource === 'namespaces'
const isCluster = (rule: AccessRule): boolean => rule.scope === 'Cluster'

function clusterPatches(access: readonly AccessRule[]): string {
  const patches = accountRoles.map((role) => {
    const patch = clusterRules(role, access).replace(/^(?=.)/gm, '      ')
    return `  - target:\n      kind: ClusterRole\n      name: mesh-${role}\n    patch: |\n${patch}`
  })
  return `${clusterHeader}${patches.join('')}`
}

// A patch that reduces a ClusterRole to rules on cluster-scoped resources.
function clusterRules(role: GrantedRole, access: readonly AccessRule[]): string {
  const rules = policyRules(
    role,
    access.filter((rule) => isCluster(rule) && !isNamespaces(rule)),
  )
  // Without the comment and `rules:`.
  const lines = toManifest([{ rules }], 'x').split('\n').slice(2, -1)
  const value = rules.length === 0 ? ' []\n' : `\n${lines.map((line) => `  ${line}\n`).join('')}`
  return `- op: replace\n  path: /rules\n  value:${value}`
}

const clusterHeader = `# ${generated}
# No account of the platform reads or writes objects of a namespace outside of the chosen ones. Beside this component: the list
# \`cluster.namespaces\` in mesh.yaml, and namespace.yaml once per namespace of it (docs/operations/install.md).
# What remains cluster-wide: reviews of bearers and of subjects, and the platform's own kinds without a namespace.
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
patches:
`

function rolesOfNamespace(access: readonly AccessRule[]): string {
  const namespaced = access.filter((rule) => !isCluster(rule))
  const objects = accountRoles.flatMap((role) => [
    { ...objectOf('Role', `mesh-${role}`, 'NAMESPACE'), rules: policyRules(role, namespaced) },
    { ...objectOf('RoleBinding', `mesh-${role}`, 'NAMESPACE'), ...boundTo('Role', `mesh-${role}`, role) },
  ])
  const name = 'mesh-namespace-NAMESPACE'
  const reason = 'The Namespace itself: list and watch are allowed for its name alone.'
  const own = {
    apiGroups: [''],
    resources: ['namespaces'],
    resourceNames: ['NAMESPACE'],
    verbs: ['get', 'list', 'watch'],
    reason,
  }
  return toManifest(
    [
      ...objects,
      { ...objectOf('ClusterRole', name), rules: [own] },
      { ...objectOf('ClusterRoleBinding', name), ...boundTo('ClusterRole', name, 'manager') },
    ],
    `${generated}
Rights of the platform in one namespace, once for each of \`cluster.namespaces\`:
  sed 's/NAMESPACE/team-a/g' deploy/components/namespaced/namespace.yaml | kubectl apply -f -`,
  )
}

// In a namespace that is not bound, status and Events state why its objects are not reconciled.
const isReport = ({ resource }: AccessRule): boolean => resource.endsWith('/status') || resource === 'events'

// Rights that stay cluster-wide. Manager: list, watch, SubjectAccessReviews, status and Events; gateway: TokenReviews. All others are bound per
// namespace. The role of the state role is for RoleBindings: the roleRef of its ClusterRoleBinding cannot be changed.
function readsOfCluster(access: readonly AccessRule[]): string {
  const reads = access.filter((rule) => rule.clusterWide || rule.group === 'authorization.k8s.io' || isReport(rule))
  const namespaced = access.filter((rule) => !isCluster(rule))
  return toManifest(
    [
      {
        ...objectOf('ClusterRole', 'mesh-gateway-cluster'),
        rules: policyRules('gateway', access.filter(isCluster)),
      },
      { ...objectOf('ClusterRole', 'mesh-manager-cluster'), rules: policyRules('manager', reads) },
      { ...objectOf('ClusterRole', 'mesh-state-namespace'), rules: policyRules('state', namespaced) },
    ],
    `${generated}
Reviews of bearers and subjects have no namespace. The manager lists and watches these kinds in the whole cluster; RBAC cannot restrict pods by label.
It writes their status and Events everywhere, so that an object in a namespace that is not bound says so.
Everything else of gateway, manager and state role, above all Secrets, is bound per namespace.`,
  )
}

function objectOf(kind: string, name: string, namespace?: string) {
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }) }
  return { apiVersion: `${apiGroup}/v1`, kind, metadata }
}

function boundTo(kind: 'Role' | 'ClusterRole', name: string, role: GrantedRole) {
  const subjects = [{ kind: 'ServiceAccount', name: `mesh-${role}`, namespace: SYSTEM_NAMESPACE }]
  return { roleRef: { apiGroup, kind, name }, subjects }
}
