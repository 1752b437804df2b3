import type { ModelRouteSpec } from '#schemas/crds/model-route.ts'
import { everyTargetOf, providerOfTarget } from '#schemas/crds/route-targets.ts'
import { durationToMs } from '#schemas/values/duration.ts'
import { createCircuit } from './circuit.ts'
import type { Circuit, CircuitRules } from './circuit.ts'

/** A route whose targets have circuits. */
export interface CircuitRoute {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly generation: number
  readonly spec: ModelRouteSpec
}

/** A target by its provider, `namespace/name`, and its model. */
export interface CircuitTarget {
  readonly provider: string
  readonly model: string
  readonly circuit: Circuit
}

/** The circuits of a route in this process. */
export interface RouteCircuits {
  readonly route: Pick<CircuitRoute, 'namespace' | 'name' | 'uid'>
  readonly targets: readonly CircuitTarget[]
  of(provider: string, model: string): Circuit | undefined
}

/** Circuits of every route that this process serves. */
export interface Circuits {
  /** Undefined: the route has one provider and no `circuitBreaker`. */
  ofRoute(route: CircuitRoute): RouteCircuits | undefined
  /** What is known of a route; undefined if it was not called. */
  find(uid: string): RouteCircuits | undefined
  forget(uid: string): void
  /** Calls the listener with the uid of a route when a circuit or its last error has changed. */
  onChange(listener: (uid: string) => void): void
}

const MOST_ROUTES = 2_000
const defaults: CircuitRules = { failures: 5, openMs: 30_000 }

interface KnownRoute extends RouteCircuits {
  readonly generation: number
  readonly rules: { current: CircuitRules }
  readonly byName: ReadonlyMap<string, CircuitTarget>
}

/** Creates the circuits of a process. `now` is monotonic. */
export function createCircuits(now: () => number = () => performance.now()): Circuits {
  const routes = new Map<string, KnownRoute>()
  const listeners: ((uid: string) => void)[] = []
  const changed = (uid: string): void => {
    for (const listener of listeners) listener(uid)
  }
  const build = (route: CircuitRoute, rules: CircuitRules, before: KnownRoute | undefined): KnownRoute => {
    const current = before?.rules ?? { current: rules }
    current.current = rules
    const parts = { rules: () => current.current, now, onChange: () => changed(route.uid) }
    const byName = new Map<string, CircuitTarget>()
    for (const { provider, model } of namesOf(route)) {
      const key = keyOf(provider, model)
      const circuit = before?.byName.get(key)?.circuit ?? createCircuit(parts)
      byName.set(key, { provider, model, circuit })
    }
    return {
      route: { namespace: route.namespace, name: route.name, uid: route.uid },
      generation: route.generation,
      rules: current,
      byName,
      targets: [...byName.values()],
      of: (provider, model) => byName.get(keyOf(provider, model))?.circuit,
    }
  }
  return {
    ofRoute(route) {
      const before = routes.get(route.uid)
      if (before?.generation === route.generation) return before
      const rules = rulesOf(route.spec)
      if (rules === undefined) {
        routes.delete(route.uid)
        return undefined
      }
      const known = build(route, rules, before)
      routes.set(route.uid, known)
      if (routes.size > MOST_ROUTES) routes.delete(routes.keys().next().value ?? '')
      changed(route.uid)
      return known
    },
    find: (uid) => routes.get(uid),
    forget: (uid) => {
      routes.delete(uid)
    },
    onChange: (listener) => {
      listeners.push(listener)
    },
  }
}

// With one provider and no fallback an open circuit would only refuse calls.
function rulesOf({ circuitBreaker, targets, fallbacks = [] }: ModelRouteSpec): CircuitRules | undefined {
  if (circuitBreaker === undefined && targets === undefined && fallbacks.length === 0) return undefined
  const { failures = defaults.failures, openFor } = circuitBreaker ?? {}
  return { failures, openMs: (openFor === undefined ? undefined : durationToMs(openFor)) ?? defaults.openMs }
}

function namesOf({ namespace, spec }: CircuitRoute) {
  return everyTargetOf(spec).map((target) => {
    const provider = providerOfTarget(target, namespace)
    return { provider: `${provider.namespace}/${provider.name}`, model: target.model }
  })
}

// Neither part has a space.
function keyOf(provider: string, model: string): string {
  return `${provider} ${model}`
}
