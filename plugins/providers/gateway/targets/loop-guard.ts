import { GatewayError } from '../errors/gateway-error.ts'
import type { UsableRoute } from '../route/usable-route.ts'
import type { GatewayCall } from '../request/gateway-call.ts'

// Longer chains of gateways have no use.
const maxRoutes = 8
const passedRoute = /\bmesh-([0-9a-f-]{36})(?![0-9a-z-])/g

/**
 * The header Via (RFC 9110, section 7.6.3) of the call of a route, with the routes that the request has passed. A provider may be a gateway: a request
 * that reaches a route again is refused. Throws `GatewayError`.
 */
export function viaOf({ given }: Pick<GatewayCall, 'given'>, { namespace, name, uid }: UsableRoute): string {
  const { via = '' } = given
  const passed = via === '' ? [] : [...via.matchAll(passedRoute)].map(([, id = '']) => id)
  if (passed.includes(uid) || passed.length >= maxRoutes) {
    const message = `The request has passed the route ${namespace}/${name} before: a provider of the route leads back to it.`
    throw new GatewayError(508, 'loop_detected', message, { param: 'model' })
  }
  return [...passed, uid].map((id) => `1.1 mesh-${id}`).join(', ')
}
