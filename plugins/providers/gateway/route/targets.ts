import type { GatewayContext } from '#core/plugin/role-contexts.ts'
import { parseRef } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { ModelProvider } from '#schemas/crds/model-provider.ts'
import type { ModelProviderSpec } from '#schemas/crds/model-provider.ts'
import { everyTargetOf, providerOfTarget } from '#schemas/crds/route-targets.ts'
import type { TargetSpec } from '#schemas/crds/route-targets.ts'
import { durationToMs } from '#schemas/values/duration.ts'
import { baseUrlOf } from '../../upstream/base-url.ts'
import { misconfigured, nameOfProvider } from '../errors/provider-failure.ts'
import { readProviderKey } from './provider-key.ts'
import { mayRefer } from '#schemas/kinds/references.ts'
import type { UsableRoute } from './usable-route.ts'

/** A provider, and the model id there. */
export interface RouteTarget {
  readonly namespace: string
  readonly name: string
  readonly model: string
}

/** A provider that is ready to be called. */
export interface LoadedTarget extends RouteTarget {
  readonly spec: ModelProviderSpec
  readonly generation: number
  readonly key: string | undefined
  readonly firstByteMs: number
  /** Host and port of the address; undefined for a mock. */
  readonly host: string | undefined
}

/** Returns every target of a route, in the order of its spec. */
export function targetsOf(route: UsableRoute): readonly RouteTarget[] {
  return everyTargetOf(route.spec).map((target) => toRouteTarget(route, target))
}

/** A target of a route by the namespace and name of its provider. */
export function toRouteTarget({ namespace }: Pick<UsableRoute, 'namespace'>, target: TargetSpec): RouteTarget {
  return { ...providerOfTarget(target, namespace), model: target.model }
}

/** Reads provider and key with the gateway's identity (B7). Throws `GatewayError`. The key is neither cached nor logged. */
export async function loadTarget(
  gateway: GatewayContext,
  route: UsableRoute,
  target: RouteTarget,
  defaultMs: number,
): Promise<LoadedTarget> {
  const ref = parseRef(target, ['provider namespace', 'provider'])
  const { namespace } = ref
  const provider = await gateway.cluster.get(ModelProvider, ref).catch((error: unknown) => {
    throw isStatus(error, 404) ? misconfigured('provider_missing', `${nameOfProvider(target)} does not exist.`) : error
  })
  // The API server has validated it against the schema of the kind.
  const spec = provider.spec as ModelProviderSpec
  if (!mayRefer(route.namespace, namespace, spec.allowedNamespaces))
    throw misconfigured('not_allowed', `${nameOfProvider(target)} does not allow the namespace ${route.namespace}.`)
  const wait = route.spec.timeout ?? spec.timeout
  const firstByteMs = (wait === undefined ? undefined : durationToMs(wait)) ?? defaultMs
  const host = spec.type === 'mock' ? undefined : URL.parse(baseUrlOf(spec))?.host
  return {
    ...target,
    spec,
    generation: provider.metadata.generation ?? 0,
    firstByteMs,
    host,
    key: await readProviderKey(gateway, namespace, spec),
  }
}
