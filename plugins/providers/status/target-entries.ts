import type { ModelRouteObject } from '#schemas/crds/model-route.ts'
import { everyTargetOf, providerOfTarget } from '#schemas/crds/route-targets.ts'
import type { RouteCircuits } from '../circuits/route-circuits.ts'

/** An entry of `status.targets` of a route. */
export type TargetEntry = NonNullable<NonNullable<ModelRouteObject['status']>['targets']>[number]

/** The entries of one gateway. Pure but for the clock of the circuits. */
export function toTargetEntries(gateway: string, { targets }: RouteCircuits): readonly TargetEntry[] {
  return targets.map(({ provider, model, circuit }) => {
    const lastErrorClass = circuit.lastErrorClass()
    const entry = { gateway, provider, model, circuit: circuit.state() }
    return lastErrorClass === undefined ? entry : { ...entry, lastErrorClass }
  })
}

/** The entries that gateways have written, for the manager, which writes the rest of the status. Entries of former targets are left out. Pure. */
export function keptTargets({ metadata, spec, status }: ModelRouteObject): { readonly targets?: TargetEntry[] } {
  if (status?.targets === undefined) return {}
  const named = new Set(
    everyTargetOf(spec).map((target) => {
      const { namespace, name } = providerOfTarget(target, metadata.namespace ?? '')
      return `${namespace}/${name} ${target.model}`
    }),
  )
  return { targets: status.targets.filter(({ provider, model }) => named.has(`${provider} ${model}`)) }
}
