import { parseRef } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import type { GatewayContext } from '#core/plugin/role-contexts.ts'
import { ModelProvider } from '#schemas/crds/model-provider.ts'
import type { ModelProviderObject } from '#schemas/crds/model-provider.ts'
import type { ServedCall } from '../../contract/call-pricing.ts'
import { targetsOf } from '../route/targets.ts'
import type { UsableRoute } from '../route/usable-route.ts'

type Prices = NonNullable<ServedCall['providerPrices']>

/** Prices of the providers of a route, by `namespace/name`. A provider that does not exist has no prices. */
export async function readProviderPrices(
  { cluster }: Pick<GatewayContext, 'cluster'>,
  route: UsableRoute,
): Promise<ReadonlyMap<string, Prices>> {
  const names = new Map(targetsOf(route).map((target) => [`${target.namespace}/${target.name}`, target]))
  const read = await Promise.all(
    [...names].map(async ([key, target]): Promise<readonly (readonly [string, Prices])[]> => {
      const found = await cluster.get<ModelProviderObject>(ModelProvider, parseRef(target)).catch((error: unknown) => {
        if (isStatus(error, 404)) return undefined
        throw error
      })
      if (found === undefined) return []
      return [[key, { generation: found.metadata.generation ?? 0, prices: found.spec.prices ?? [] }]]
    }),
  )
  return new Map(read.flat())
}
