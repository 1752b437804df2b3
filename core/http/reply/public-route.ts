import type { FastifyInstance, RouteHandlerMethod } from 'fastify'
import { commonMethods, notAllowed } from './method-not-allowed.ts'

/** Mounts a route without authentication, and 405 with `Allow` for the other methods of its path. */
export function mountPublicRoute(
  scope: FastifyInstance,
  {
    method,
    url,
    handler,
  }: { readonly method: 'GET' | 'POST'; readonly url: string; readonly handler: RouteHandlerMethod },
): void {
  const allow = method === 'GET' ? ['GET', 'HEAD'] : [method]
  const config = { public: true, allow }
  scope.route({ method, url, config, handler })
  scope.route({
    method: commonMethods.filter((other) => !allow.includes(other)),
    url,
    config,
    onRequest: async () => {
      throw notAllowed(allow)
    },
    handler: async () => undefined,
  })
}
