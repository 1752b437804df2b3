import { Fail } from '#core/errors/domain-error.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { findNamedObject } from '#core/kube/find-named-object.ts'
import { ModelProvider } from '#schemas/crds/model-provider.ts'
import type { ModelProviderObject } from '#schemas/crds/model-provider.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import type { ModelRouteObject } from '#schemas/crds/model-route.ts'
import { mayRefer, splitReference } from '#schemas/kinds/references.ts'
import { pricesOfRoute, providersOf } from '../money/price-table.ts'
import { ownNamespaces } from '../money/spender.ts'
import type { IsOwn } from '../money/spender.ts'
import type { LimitSource } from '../contract/points.ts'
import type { PricedCall, ProviderPrices } from '../money/price-table.ts'
import type { TargetPrice } from '../money/price.ts'
import type { BudgetsSettings } from '../contract/settings.ts'
import { createTtlCache } from '#core/async/ttl-cache.ts'

/** A route with the prices of its providers. */
export interface PricedRoute {
  /** `namespace/name`. */
  readonly route: string
  readonly prices: readonly TargetPrice[]
  readonly isOwn: IsOwn
  /** Most output tokens of a call; undefined: any number. */
  readonly maxOutputTokens?: number | undefined
}

type KnownRoute = Pick<PricedCall, 'route' | 'providers'> & { readonly name: string }

const ROUTE_TTL_MS = 5_000

/** Finds the route of a model name that an agent of a namespace uses. Throws `not_found` for a route that the agent may not use. */
export type FindRoute = (namespace: string, model: string) => Promise<PricedRoute>

/** Creates the reader of routes. */
export function createFindRoute(
  cluster: Pick<KubeClient, 'get'>,
  settings: Pick<BudgetsSettings, 'prices' | 'shippedPrices'>,
  sources: () => readonly LimitSource[],
): FindRoute {
  const routes = createTtlCache<KnownRoute | undefined>(ROUTE_TTL_MS)
  const read = async (route: string, ref: ReturnType<typeof splitReference>) => {
    const found = await findNamedObject<ModelRouteObject>(cluster, ModelRoute, ref)
    if (found === undefined) return undefined
    const { metadata, spec } = found
    const priced = { namespace: metadata.namespace ?? '', generation: metadata.generation ?? 0, spec }
    return { name: route, route: priced, providers: await readProviders(cluster, priced) }
  }
  return async (own, model) => {
    const ref = splitReference(own, model)
    const route = `${ref.namespace}/${ref.name}`
    const found = await routes(route, () => read(route, ref))
    if (found === undefined || !mayRefer(own, ref.namespace, found.route.spec.allowedNamespaces))
      throw new Fail('not_found', 'The model is not a route that the agent may use.')
    const namespaces = [ref.namespace, ...providersOf(found.route).map(({ namespace }) => namespace)]
    const isOwn = await ownNamespaces(sources(), own, namespaces)
    const { maxOutputTokens } = found.route.spec
    return { route: found.name, prices: pricesOfRoute({ ...found, isOwn }, settings), isOwn, maxOutputTokens }
  }
}

async function readProviders(
  cluster: Pick<KubeClient, 'get'>,
  route: KnownRoute['route'],
): Promise<ReadonlyMap<string, ProviderPrices>> {
  const read = await Promise.all(
    providersOf(route).map(async (ref): Promise<readonly (readonly [string, ProviderPrices])[]> => {
      const found = await findNamedObject<ModelProviderObject>(cluster, ModelProvider, ref)
      const { prices } = found?.spec ?? {}
      if (found === undefined || prices === undefined) return []
      return [[`${ref.namespace}/${ref.name}`, { generation: found.metadata.generation ?? 0, prices }]]
    }),
  )
  return new Map(read.flat())
}
