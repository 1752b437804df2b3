import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { EVERY_ROUTE, modelRoutesOf } from '#schemas/agents/model-routes.ts'
import { GatewayError } from '../errors/gateway-error.ts'

interface RouteName {
  readonly namespace: string
  readonly name: string
}

/**
 * Whether an agent may call a route: a route in its spec, or in its status, which lists the routes of running revisions. A new spec revokes no route
 * from pods that a rollout has yet to replace, or that serve because the rollout is held back.
 */
export function mayCallRoute(
  { metadata, spec, status }: AgentDeploymentObject,
  { namespace, name }: RouteName,
): boolean {
  const allowed = [...modelRoutesOf(metadata.namespace ?? '', spec), ...(status?.modelRoutes ?? [])]
  return allowed.includes(EVERY_ROUTE) || allowed.includes(`${namespace}/${name}`)
}

/** The error for a route that is not in the spec of the agent. */
export function routeNotAllowed(
  { metadata, spec }: AgentDeploymentObject,
  { namespace, name }: RouteName,
): GatewayError {
  const agent = `${metadata.namespace ?? ''}/${metadata.name}`
  const field = spec.model === undefined ? 'spec.model.route' : 'spec.model.allowRoutes'
  const message = `model: the agent ${agent} may not call ${namespace}/${name}. Name the route in ${field} of the agent.`
  return new GatewayError(403, 'route_not_allowed', message, { param: 'model' })
}
