import type { GatewayContext } from '#core/plugin/role-contexts.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import type { DnsLabel, DnsName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import type { ModelRouteObject, ModelRouteSpec } from '#schemas/crds/model-route.ts'
import { kubeResource } from './kube-resource.ts'
import { GatewayError } from './openai-error.ts'
import type { Principal } from './principal.ts'

/** A route that the principal may use. */
export interface UsableRoute {
  readonly namespace: DnsLabel
  readonly name: string
  readonly uid: string
  readonly spec: ModelRouteSpec
}

/** What a `model` names: a route, or an agent (`agent/<namespace>/<name>`). */
export type ModelName =
  | { readonly kind: 'route'; readonly namespace: DnsLabel; readonly name: DnsName }
  | { readonly kind: 'agent'; readonly namespace: DnsLabel; readonly name: DnsName }

/** Parses `model` (K5); a bare name is in `namespace`: X-Mesh-Namespace, else the pod's own, else `default`. */
export function parseModel(model: string, namespace: string): ModelName {
  const parts = model.split('/')
  const kind = parts[0] === 'agent' && parts.length > 1 ? 'agent' : 'route'
  const [first = '', second, ...rest] = kind === 'agent' ? parts.slice(1) : parts
  if (rest.length > 0)
    throw new Fail('invalid_body', undefined, {
      errors: [{ pointer: '/model', detail: 'must be a route (name or namespace/name) or agent/namespace/name' }],
    })
  return {
    kind,
    namespace: parseLabel('/model', second === undefined ? namespace : first),
    name: parseName('/model', second ?? first),
  }
}

/**
 * The route, if the principal may use it: a person by the cluster's review `create modelroutes/invoke`, before anything is
 * read; a pod in its own namespace, or where the route allows its namespace. A pod that may not learns no more than 404.
 */
export async function usableRoute(
  gateway: GatewayContext,
  principal: Principal,
  model: ModelName,
): Promise<UsableRoute> {
  const { metadata, spec } = await readRoute(gateway, principal, model)
  return { namespace: model.namespace, name: model.name, uid: metadata.uid ?? '', spec }
}

/** As `usableRoute`, the whole object. */
export async function readRoute(
  gateway: GatewayContext,
  principal: Principal,
  model: ModelName,
): Promise<ModelRouteObject> {
  const { namespace, name } = model
  if (principal.kind === 'person') await principal.caller.review('create', 'modelroutes/invoke', { namespace, name })
  const ref = { namespace, name }
  // The API server holds routes to the schema of the kind.
  const route = await gateway.cluster.get<ModelRouteObject>(kubeResource(ModelRoute), ref).catch((error: unknown) => {
    throw isStatus(error, 404) ? unknownModel(model) : error
  })
  const allowed = principal.kind === 'person' || mayRefer(principal.namespace, namespace, route.spec.allowedNamespaces)
  if (!allowed) throw unknownModel(model)
  return route
}

/** References stay in their namespace unless the target allows the source's. */
export function mayRefer(source: string, target: string, allowedNamespaces: readonly string[] = []): boolean {
  return source === target || allowedNamespaces.includes(source) || allowedNamespaces.includes('*')
}

/** The error for a model that does not exist, or that the principal may not know of. */
export function unknownModel({ kind, namespace, name }: ModelName): GatewayError {
  const id = `${kind === 'agent' ? 'agent/' : ''}${namespace}/${name}`
  const message = `The model ${id} does not exist. GET /v1/models lists the models that you may use.`
  return new GatewayError(404, 'model_not_found', message, { param: 'model' })
}
