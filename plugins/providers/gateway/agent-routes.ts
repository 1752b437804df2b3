import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { splitReference } from '#schemas/references.ts'
import { GatewayError } from './gateway-error.ts'

interface RouteName {
  readonly namespace: string
  readonly name: string
}

/** Whether the spec of an agent lets it call a route. Without `model.allowRoutes` it may call every one that its namespace may use. */
export function mayCallRoute({ metadata, spec }: AgentDeploymentObject, { namespace, name }: RouteName): boolean {
  const { route, fallbackRoutes = [], allowRoutes } = spec.model ?? {}
  if (allowRoutes === undefined || allowRoutes.includes('*')) return true
  const named = [...(route === undefined ? [] : [route]), ...fallbackRoutes, ...allowRoutes]
  return named.some((one) => {
    const ref = splitReference(metadata.namespace ?? '', one)
    return ref.namespace === namespace && ref.name === name
  })
}

/** The error for a route that the spec of the agent does not name. */
export function routeNotAllowed({ metadata }: AgentDeploymentObject, { namespace, name }: RouteName): GatewayError {
  const agent = `${metadata.namespace ?? ''}/${metadata.name}`
  const message = `model: the agent ${agent} may not call ${namespace}/${name}. Name the route in spec.model.allowRoutes of the agent.`
  return new GatewayError(403, 'route_not_allowed', message, { param: 'model' })
}
