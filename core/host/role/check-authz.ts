import { personaRoles } from '#core/cluster/roles/access-rule.ts'
import type { AccessRule } from '#core/cluster/roles/access-rule.ts'
import type { Authz } from '#core/http/endpoint/authz.ts'
import type { MountedEndpoint } from '#core/http/endpoint/mounted-endpoint.ts'
import { accessOfPlugins } from '#core/plugin/access-of-plugins.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { GROUP } from '#schemas/names/group.ts'
import { pluginTitle } from '../load/plugin-title.ts'
import { BootError } from '../load/startup-error.ts'

interface Right {
  readonly verb: string
  readonly group: string
  readonly resource: string
}

/**
 * Refuses a reviewed route of a third party whose right no rule of access gives to a persona: every caller but an administrator of the
 * cluster would get 403.
 */
export function refuseUngranted(
  plugins: readonly AnyPlugin[],
  thirdParty: ReadonlySet<string>,
  catalog: readonly MountedEndpoint[],
): void {
  const rules = accessOfPlugins(plugins)
  for (const { plugin: name, endpoint } of catalog) {
    const plugin = thirdParty.has(name) ? plugins.find((one) => one.name === name) : undefined
    const missing =
      plugin === undefined ? undefined : rightsOf(endpoint.authz).find((right) => !isGranted(rules, right))
    if (plugin === undefined || missing === undefined) continue
    const { verb, group, resource } = missing
    throw new BootError(
      `${pluginTitle(plugin)}: endpoint ${endpoint.method} ${endpoint.url} reviews ${verb} on ${resource} of ${group}, which no rule of access gives to ${personaRoles.join(', ')}; add it to \`access\``,
    )
  }
}

function rightsOf(authz: Authz): readonly Right[] {
  if (authz.kind === 'all') return authz.of.flatMap(rightsOf)
  if (authz.kind !== 'review' && authz.kind !== 'row') return []
  const [plural = '', ...subresource] = authz.resource.split('/')
  const dot = plural.indexOf('.')
  const written = dot === -1 ? undefined : plural.slice(dot + 1)
  const group = ('group' in authz ? authz.group : undefined) ?? written ?? GROUP
  const resource = [dot === -1 ? plural : plural.slice(0, dot), ...subresource].join('/')
  return isOfKubernetes(group, resource) ? [] : [{ verb: authz.verb, group, resource }]
}

// Roles of the cluster give these rights.
function isOfKubernetes(group: string, resource: string): boolean {
  const ofCore = ['configmaps', 'namespaces', 'pods', 'pods/log', 'secrets', 'serviceaccounts', 'services']
  return !group.includes('.') || group.endsWith('.k8s.io') || (group === GROUP && ofCore.includes(resource))
}

function isGranted(rules: readonly AccessRule[], { verb, group, resource }: Right): boolean {
  const own = rules.filter((rule) => rule.resource === resource && (rule.group ?? GROUP) === group)
  return own.some((rule) => personaRoles.some((role) => rule[role]?.some((given) => given === verb)))
}
