import type { FastifyPluginAsync } from 'fastify'
import { docsPage, docsPolicy } from './docs-page.ts'
import { toOpenApi } from './document.ts'
import type { OpenApiInput } from './document.ts'

/** `/openapi.json` and `/docs`, both public: they say what exists here, never what is in it. */
export function openApiRoutes(input: OpenApiInput): FastifyPluginAsync {
  let document: string | undefined
  return async (scope) => {
    scope.get('/openapi.json', { config: { public: true } }, (_request, reply) => {
      // Made at the first request, when every plugin is mounted.
      document ??= JSON.stringify(toOpenApi(input))
      return reply.type('application/json; charset=utf-8').send(document)
    })
    scope.get('/docs', { config: { public: true } }, (_request, reply) =>
      reply.header('content-security-policy', docsPolicy).type('text/html; charset=utf-8').send(docsPage),
    )
  }
}
