import { accountRoles, personaRoles } from '#core/cluster/roles/access-rule.ts'
import type { GrantedRole } from '#core/cluster/roles/access-rule.ts'
import { toManifest } from '#core/cluster/roles/manifest.ts'
import { pluginRoles, shippedRoles } from '#core/cluster/roles/role-objects.ts'
import { toCrd } from '#schemas/kinds/crd.ts'
import { accessOf, accessOfPlugins, kindsOf } from './access-of-plugins.ts'
import type { AnyPlugin } from './plugin.ts'

const purposes: Readonly<Record<GrantedRole, readonly string[]>> = {
  viewer: [
    'Reads the objects of the platform in the namespaces where it is bound. Verbs and resources are enumerated (K6): a star on',
    'resources of our group would also pass the review of auditlogs.',
  ],
  developer: ['Authors and runs agents in the namespaces where it is bound.'],
  operator: [
    'Runs the installation: everything a developer may, in every namespace, and what has no namespace.',
    'The only shipped role that may read the audit log.',
  ],
  manager: ['Reconciles agents and observes the objects of the platform.'],
  gateway: ['Authenticates callers of the model gateway, finds routes and providers, reads provider keys.'],
  state: ['Authenticates launchers and reviews whether a stored subject still has its rights.'],
  worker: ["Finds the pods behind an agent's Service: a run stays with the one that took it."],
}

/** Manifests of the ClusterRoles and of the accounts' bindings: YAML by role. */
export function roleManifests(plugins: readonly AnyPlugin[]): ReadonlyMap<GrantedRole, string> {
  const access = accessOfPlugins(plugins)
  const roles: readonly GrantedRole[] = [...personaRoles, ...accountRoles]
  return new Map(roles.map((role) => [role, toManifest(shippedRoles(role, access), purposes[role].join('\n'))]))
}

/** Manifests that plugins of third parties add to an installation: their CRDs and roles. '' if they need none. */
export function addedManifests(plugins: readonly AnyPlugin[]): string {
  const added = plugins.flatMap((plugin) => {
    const objects = [...kindsOf([plugin]).map(toCrd), ...pluginRoles(plugin.name, accessOf(plugin))]
    return objects.length === 0 ? [] : [toManifest(objects, `Plugin ${plugin.name}.`)]
  })
  return added.join('---\n')
}

/** Every CRD and role of an installation: of the platform's plugins as shipped, and what third parties add. */
export function allManifests(plugins: readonly AnyPlugin[], thirdParties: readonly AnyPlugin[]): string {
  const crds = toManifest(kindsOf(plugins).map(toCrd), 'Kinds of the platform.')
  return [crds, ...roleManifests(plugins).values(), addedManifests(thirdParties)]
    .filter((text) => text !== '')
    .join('---\n')
}
