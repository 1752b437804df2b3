import { primaryTargetsOf } from '#schemas/crds/route-targets.ts'
import type { Circuit } from '../../circuits/circuit.ts'
import type { Circuits } from '../../circuits/route-circuits.ts'
import { toRouteTarget } from '../route/targets.ts'
import type { RouteTarget } from '../route/targets.ts'
import type { UsableRoute } from '../route/usable-route.ts'
import { orderTargets } from './order-targets.ts'

/** A target in the order of the attempts. */
export interface PlannedTarget extends RouteTarget {
  /** Undefined: the route has no circuits. */
  readonly circuit: Circuit | undefined
}

/**
 * The targets of a call in the order of its attempts: the chosen one with its retries, the others that share the calls of the route, then its
 * fallbacks. Calls with the same key choose alike.
 */
export function planTargets(circuits: Circuits, route: UsableRoute, key: string | undefined): readonly PlannedTarget[] {
  const { fallbacks = [], retries = 0 } = route.spec
  const own = circuits.ofRoute(route)
  const [first, ...others] = orderTargets(primaryTargetsOf(route.spec), key)
  if (first === undefined) return []
  const tries = Array.from({ length: 1 + retries }, () => first)
  return [...tries, ...others, ...fallbacks].map((spec) => {
    const target = toRouteTarget(route, spec)
    return { ...target, circuit: own?.of(`${target.namespace}/${target.name}`, target.model) }
  })
}
