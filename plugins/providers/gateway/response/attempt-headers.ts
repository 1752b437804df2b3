import type { ServerResponse } from 'node:http'
import { toModelHeader } from '#core/model-apis/target-header.ts'
import type { RouteTarget } from '../route/targets.ts'

/** Headers of the response that name its route, the last target that was called, and the number of attempts. */
export interface AttemptHeaders {
  /** Called before each attempt. */
  next(target: RouteTarget): void
  count(): number
}

/** Begins with the route. */
export function createAttemptHeaders(
  response: Pick<ServerResponse, 'setHeader'>,
  route: { readonly namespace: string; readonly name: string },
): AttemptHeaders {
  let count = 0
  response.setHeader('x-mesh-route', `${route.namespace}/${route.name}`)
  return {
    next({ namespace, name, model }) {
      const provider = `${namespace}/${name}`
      response.setHeader('x-mesh-provider', provider)
      response.setHeader('x-mesh-target', toModelHeader(provider, model))
      response.setHeader('x-mesh-attempts', String(++count))
    },
    count: () => count,
  }
}
