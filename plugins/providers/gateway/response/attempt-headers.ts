import type { ServerResponse } from 'node:http'
import { toModelHeader } from '#core/model-apis/target-header.ts'
import { targetAttributes } from '#core/otlp/gen-ai.ts'
import type { Note } from '#core/telemetry/trace-context.ts'
import type { RouteTarget } from '../route/targets.ts'

/** Names the route, the last target that was called and the number of attempts, in headers of the response and in the span of the request. */
export interface AttemptHeaders {
  /** Called before each attempt. */
  next(target: RouteTarget): void
  count(): number
}

/** Begins with the route. */
export function createAttemptHeaders(
  { response, note }: { readonly response: Pick<ServerResponse, 'setHeader'>; readonly note: Note },
  route: { readonly namespace: string; readonly name: string },
): AttemptHeaders {
  let count = 0
  response.setHeader('x-mesh-route', `${route.namespace}/${route.name}`)
  return {
    next({ namespace, name, model }) {
      const provider = `${namespace}/${name}`
      const target = toModelHeader(provider, model)
      response.setHeader('x-mesh-provider', provider)
      response.setHeader('x-mesh-target', target)
      response.setHeader('x-mesh-attempts', String(++count))
      note(targetAttributes({ target, attempts: count }))
    },
    count: () => count,
  }
}
