import type { FastifyInstance, RouteHandlerMethod } from 'fastify'
import { commonMethods, notAllowed } from './method-not-allowed.ts'

/** Handlers of a path without authentication, by method. */
export type PublicHandlers = Readonly<Partial<Record<'GET' | 'POST' | 'PUT' | 'DELETE', RouteHandlerMethod>>>

/** Mounts a route without authentication, and 405 with `Allow` for the other methods of its path. */
export function mountPublicRoute(
  scope: FastifyInstance,
  {
    method,
    url,
    handler,
  }: { readonly method: 'GET' | 'POST'; readonly url: string; readonly handler: RouteHandlerMethod },
): void {
  mountPublicPath(scope, url, { [method]: handler })
}

/** Mounts a path without authentication, and 405 with `Allow` for its other methods. */
export function mountPublicPath(scope: FastifyInstance, url: string, handlers: PublicHandlers): void {
  const allow = Object.keys(handlers).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  const config = { public: true, allow }
  for (const [method, handler] of Object.entries(handlers)) scope.route({ method, url, config, handler })
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
