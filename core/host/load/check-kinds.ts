import type { KubeObject } from '#core/kube/client.ts'
import { kindsOf } from '#core/plugin/access-of-plugins.ts'
import { hasField } from '#core/plugin/enforced-fields.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { pluginTitle } from './plugin-title.ts'
import { BootError } from './startup-error.ts'

/** Refuses kinds that an installation cannot have: without a sample, or declared by two plugins. Each error names both sides. */
export function checkKinds(plugins: readonly AnyPlugin[]): void {
  const owners = new Map<string, string>(ofKubernetes.map((kind) => [`kind ${kind}`, 'Kubernetes']))
  for (const plugin of plugins) {
    const owner = pluginTitle(plugin)
    for (const { kind, sample } of plugin.kinds ?? []) {
      if (typeof (sample as KubeObject | undefined)?.spec !== 'object' || sample.spec === null)
        throw new BootError(`${owner}: the kind ${kind.kind} has no sample with a spec`)
      // The names of kinds are those of audit rows and references, which have no group.
      for (const name of [`kind ${kind.kind}`, `plural ${kind.plural}`]) {
        const other = owners.get(name)
        if (other !== undefined) throw new BootError(`${other} and ${owner} both have the ${name}`)
        owners.set(name, owner)
      }
    }
  }
  checkEnforced(plugins)
  for (const plugin of plugins) {
    const { informers = [], access = [] } = plugin
    for (const kind of [...informers.map(({ resourceKind }) => resourceKind), ...access.map((rule) => rule.kind)]) {
      const other = owners.get(`kind ${kind}`)
      if (other !== undefined && !ofKubernetes.includes(kind ?? ''))
        throw new BootError(`${other} and ${pluginTitle(plugin)} both have the kind ${kind}`)
    }
  }
}

// A misspelt field would be used by no agent, and the mistake would remain unnoticed.
function checkEnforced(plugins: readonly AnyPlugin[]): void {
  const kinds = kindsOf(plugins)
  for (const plugin of plugins)
    for (const { kind, field } of plugin.enforces ?? []) {
      const schema = kinds.find((one) => one.kind === kind)?.spec
      if (schema !== undefined && !hasField(schema, field))
        throw new BootError(`${pluginTitle(plugin)}: enforces spec.${field} of ${kind}, which its schema does not have`)
    }
}

// Names of audit rows and references that are not those of plugins.
const ofKubernetes: readonly string[] = ['Secret', 'ConfigMap', 'Namespace', 'Pod', 'ServiceAccount']
