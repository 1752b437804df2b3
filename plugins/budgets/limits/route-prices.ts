import { Fail } from '#core/errors/domain-error.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { findNamedObject } from '#plugins/agents/api.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import type { ModelRouteObject } from '#schemas/crds/model-route.ts'
import { mayRefer, splitReference } from '#schemas/references.ts'
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
  const read = async (route: string, ref: ReturnType<typeof splitReference>) => {
    const found = await findNamedObject<ModelRouteObject>(cluster, ModelRoute, ref)
    return found && { route, prices: pricesOfRoute(found, settings), allowed: found.spec.allowedNamespaces }
  }
  return async (own, model) => {
    const ref = splitReference(own, model)
    const route = `${ref.namespace}/${ref.name}`
    const found = await routes(route, () => read(route, ref))
    if (found === undefined || !mayRefer(own, ref.namespace, found.allowed))
      throw new Fail('not_found', 'The model is no route that the agent may use.')
    return { route: found.route, prices: found.prices }
  }
}
