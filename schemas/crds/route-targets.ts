import type { ModelRouteSpec } from './model-route.ts'

/** A provider of a route with the model there. */
export type TargetSpec = Omit<NonNullable<ModelRouteSpec['targets']>[number], 'weight'> & { readonly weight?: number }

/** The targets between which a route divides its calls: `targets`, or the one provider. */
export function primaryTargetsOf({ targets, providerRef, model, prices }: ModelRouteSpec): readonly TargetSpec[] {
  if (targets !== undefined) return targets
  // The API server refuses a route without either form.
  if (providerRef === undefined || model === undefined) return []
  return [{ providerRef, model, ...(prices === undefined ? {} : { prices }) }]
}

/** Every target of a route: those that share its calls, then the fallbacks. */
export function everyTargetOf(spec: ModelRouteSpec): readonly TargetSpec[] {
  return [...primaryTargetsOf(spec), ...(spec.fallbacks ?? [])]
}

/** `namespace/name` of the provider of a target; a bare name is in the namespace of the route. */
export function providerOfTarget({ providerRef: { name, namespace } }: Pick<TargetSpec, 'providerRef'>, own: string) {
  return { namespace: namespace ?? own, name }
}

/** The one model that answers the calls of a route while no target fails; undefined if its targets differ. */
export function modelOfRoute(spec: ModelRouteSpec): string | undefined {
  const [model, ...others] = new Set(primaryTargetsOf(spec).map((target) => target.model))
  return others.length === 0 ? model : undefined
}
