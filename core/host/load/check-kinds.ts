import type { KubeObject } from '#core/kube/client.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { BootError } from './startup-error.ts'

/** Refuses kinds that an installation cannot have: without a sample, or declared by two plugins. Each error names both sides. */
export function checkKinds(plugins: readonly AnyPlugin[]): void {
  const owners = new Map<string, string>()
  for (const { name: plugin, kinds = [] } of plugins) {
    for (const { kind, sample } of kinds) {
      if (typeof (sample as KubeObject | undefined)?.spec !== 'object' || sample.spec === null)
        throw new BootError(`plugin ${plugin}: the kind ${kind.kind} has no sample with a spec`)
      // The names of kinds are those of audit rows and references, which have no group.
      for (const name of [`kind ${kind.kind}`, `plural ${kind.plural}`]) {
        const other = owners.get(name)
        if (other !== undefined) throw new BootError(`plugins ${other} and ${plugin} both have the ${name}`)
        owners.set(name, plugin)
      }
    }
  }
}
