import { Fail } from '#core/errors/domain-error.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { isLabel, isName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import type { ModelRouteObject } from '#schemas/crds/model-route.ts'
import { mayRefer } from '#schemas/references.ts'
import { pricesOfRoute } from '../money/price-table.ts'
import type { TargetPrice } from '../money/price-table.ts'
import type { BudgetsSettings } from '../settings.ts'
import { createTtlCache } from '#core/async/ttl-cache.ts'

/** A route with the prices of its providers. */
export interface PricedRoute {
  /** `namespace/name`. */
  readonly route: string
  readonly prices: readonly TargetPrice[]
}

const ROUTE_TTL_MS = 5_000

/** Finds the route of a model, as an agent of a namespace names it. Throws `not_found` for a route that the agent may not use. */
export type FindRoute = (namespace: string, model: string) => Promise<PricedRoute>

/** Creates the reader of routes. */
export function createFindRoute(
  cluster: Pick<KubeClient, 'get'>,
  settings: Pick<BudgetsSettings, 'prices' | 'shippedPrices'>,
): FindRoute {
  const routes = createTtlCache<(PricedRoute & { readonly allowed: readonly string[] | undefined }) | undefined>(
    ROUTE_TTL_MS,
  )
  const read = async (namespace: string, name: string) => {
    if (!isLabel(namespace) || !isName(name)) return undefined
    try {
      const route = await cluster.get<ModelRouteObject>(ModelRoute, { namespace, name })
      const prices = pricesOfRoute(route, settings)
      return { route: `${namespace}/${name}`, prices, allowed: route.spec.allowedNamespaces }
    } catch (error) {
      if (isStatus(error, 404)) return undefined
      throw error
    }
  }
  return async (own, model) => {
    const slash = model.indexOf('/')
    const [namespace, name] = slash < 0 ? [own, model] : [model.slice(0, slash), model.slice(slash + 1)]
    const found = await routes(`${namespace}/${name}`, () => read(namespace, name))
    if (found === undefined || !mayRefer(own, namespace, found.allowed))
      throw new Fail('not_found', 'The model is no route that the agent may use.')
    return { route: found.route, prices: found.prices }
  }
}
