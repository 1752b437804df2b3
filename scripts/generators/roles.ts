import { roleManifests } from '#core/plugin/manifests.ts'
import { plugins } from '#plugins/index.ts'

const header = '# Generated from `access`, `kinds` and `informers` of plugins by `npm run generate`; do not edit.\n'

/** ClusterRoles and bindings of deploy/rbac. */
export async function generate(): Promise<Map<string, string>> {
  return new Map([...roleManifests(plugins)].map(([role, text]) => [`deploy/rbac/${role}.yaml`, `${header}${text}`]))
}
