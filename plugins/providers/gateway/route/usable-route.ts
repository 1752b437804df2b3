import type { GatewayContext } from '#core/plugin/role-contexts.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import type { ModelRouteObject, ModelRouteSpec } from '#schemas/crds/model-route.ts'
import { mayRefer } from '#schemas/kinds/references.ts'
import { mayCallRoute, routeNotAllowed } from './agent-routes.ts'
import { unknownModel } from '../request/model-name.ts'
import type { ModelName } from '../request/model-name.ts'
import type { Principal } from '../request/principal.ts'

/** A route that the principal may use. */
export interface UsableRoute {
  readonly namespace: DnsLabel
  readonly name: string
  readonly uid: string
  readonly generation: number
  readonly spec: ModelRouteSpec
}

/**
 * Returns the route if the principal may use it. A person needs `create modelroutes/invoke`, reviewed before the route is read. A pod needs a route
 * of its namespace or one that allows its namespace, and gets a 404 for others. For a route that its agent may not call, it gets a 403.
 */
export async function usableRoute(
  gateway: GatewayContext,
  principal: Principal,
  model: ModelName,
): Promise<UsableRoute> {
  const { metadata, spec } = await readRoute(gateway, principal, model)
  const { uid = '', generation = 0 } = metadata
  return { namespace: model.namespace, name: model.name, uid, generation, spec }
}

/** Returns the complete object of a usable route. See {@link usableRoute}. */
export async function readRoute(
  gateway: GatewayContext,
  principal: Principal,
  model: ModelName,
): Promise<ModelRouteObject> {
  const { namespace, name } = model
  if (principal.kind === 'person') await principal.caller.review('create', 'modelroutes/invoke', { namespace, name })
  const ref = { namespace, name }
  // The API server has validated it against the schema of the kind.
  const route = await gateway.cluster.get<ModelRouteObject>(ModelRoute, ref).catch((error: unknown) => {
    throw isStatus(error, 404) ? unknownModel(model) : error
  })
  const allowed = principal.kind === 'person' || mayRefer(principal.namespace, namespace, route.spec.allowedNamespaces)
  if (!allowed) throw unknownModel(model)
  if (principal.kind === 'pod' && !mayCallRoute(principal.agent, model)) throw routeNotAllowed(principal.agent, model)
  return route
}
