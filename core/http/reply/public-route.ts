import type { FastifyInstance, RouteHandlerMethod } from 'fastify'
import { commonMethods, notAllowed } from './method-not-allowed.ts'

/** Mounts a route that needs no bearer, and 405 with `Allow` for the other methods of its path. */
export function mountPublicRoute(
  scope: FastifyInstance,
  {
    method,
    url,
    handler,
  }: { readonly method: 'GET' | 'POST'; readonly url: string; readonly handler: RouteHandlerMethod },
): void {
  const config = { public: true }
  scope.route({ method, url, config, handler })
  const allow = method === 'GET' ? ['GET', 'HEAD'] : [method]
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
