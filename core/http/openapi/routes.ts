import { randomBytes } from 'node:crypto'
import type { FastifyPluginAsync } from 'fastify'
import { scopedPart } from '../endpoint/server-part.ts'
import { toJsonBody } from '../reply/json-line.ts'
import { mountPublicRoute } from '../reply/public-route.ts'
import { sendStaticFile, toStaticFile } from '../reply/static-file.ts'
import type { StaticFile } from '../reply/static-file.ts'
import { wantsJson } from '../reply/wants-json.ts'
import { docsPage, docsPolicy, prepareScript, startScript } from './docs-page.ts'
import { toOpenApi } from './document.ts'
import type { OpenApiInput } from './document.ts'
import { icon } from './icon.ts'
import { scalarScript } from './scalar-script.ts'

const JAVASCRIPT = 'text/javascript; charset=utf-8'

/**
 * `/openapi.json`, `/docs` and `/favicon.ico`, all public: the document lists routes, never data. `/` redirects to `/docs` unless the
 * console is there.
 */
export function openApiRoutes(input: OpenApiInput & { readonly hasHome?: boolean }): FastifyPluginAsync {
  let made: StaticFile | undefined
  // Rendered at the first request, when every plugin is mounted.
  const document = (): StaticFile =>
    (made ??= toStaticFile('application/json; charset=utf-8', toJsonBody(toOpenApi(input))))
  const files: Readonly<Record<string, () => StaticFile | Promise<StaticFile>>> = {
    '/openapi.json': document,
    '/docs/prepare.js': () => toStaticFile(JAVASCRIPT, prepareScript),
    '/docs/start.js': () => toStaticFile(JAVASCRIPT, startScript),
    '/docs/scalar.js': scalarScript,
    '/favicon.ico': () => icon,
  }
  return scopedPart('mesh-openapi', ['mesh-gate'], (scope) => {
    for (const [url, read] of Object.entries(files))
      mountPublicRoute(scope, {
        method: 'GET',
        url,
        handler: async (request, reply) => sendStaticFile(request, reply, await read()),
      })
    if (input.hasHome !== true)
      mountPublicRoute(scope, {
        method: 'GET',
        url: '/',
        handler: ({ headers }, reply) =>
          reply.header('vary', 'accept').redirect(wantsJson(headers.accept) ? '/openapi.json' : '/docs'),
      })
    mountPublicRoute(scope, {
      method: 'GET',
      url: '/docs',
      handler: (_request, reply) => {
        const nonce = randomBytes(16).toString('base64url')
        return reply
          .header('content-security-policy', docsPolicy(nonce))
          .type('text/html; charset=utf-8')
          .send(docsPage(nonce))
      },
    })
  })
}
