import { parseRef } from '#core/kube/names.ts'
import { ModelProvider } from '#schemas/crds/model-provider.ts'
import type { ModelProviderSpec } from '#schemas/crds/model-provider.ts'
import { modelAdapter } from '../../contract/points.ts'
import type { ProvidersServices } from '../../services/create-services.ts'
import type { GatewayCall } from '../request/gateway-call.ts'
import { targetsOf } from './targets.ts'
import type { UsableRoute } from './usable-route.ts'

/**
 * Whether every provider of a route accepts requests of the Messages API unchanged. False if a provider cannot be read: the attempt then reports that
 * error.
 */
export async function passesMessages(
  services: ProvidersServices,
  call: GatewayCall,
  route: UsableRoute,
): Promise<boolean> {
  const passing = services.core.extensions(modelAdapter).filter(({ passesMessages: passes }) => passes === true)
  const targets = new Map(targetsOf(route).map((target) => [`${target.namespace}/${target.name}`, target]))
  for (const target of targets.values()) {
    const provider = await call.gateway.cluster.get(ModelProvider, parseRef(target)).catch(() => undefined)
    const type = (provider?.spec as ModelProviderSpec | undefined)?.type
    if (!passing.some((adapter) => adapter.type === type)) return false
  }
  return true
}
