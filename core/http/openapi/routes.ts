import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { randomBytes } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { docsPage, docsPolicy, prepareScript, startScript } from './docs-page.ts'
import { toOpenApi } from './document.ts'
import type { OpenApiInput } from './document.ts'
import { scalarScript } from './scalar-script.ts'

const JAVASCRIPT = 'text/javascript; charset=utf-8'

/** `/openapi.json` and `/docs`, both public: they say what exists here, never what is in it. */
export function openApiRoutes(input: OpenApiInput): FastifyPluginAsync {
  let document: string | undefined
  return async (scope) => {
    const open = { config: { public: true } }
    scope.get('/openapi.json', open, (_request, reply) => {
      // Made at the first request, when every plugin is mounted.
      document ??= JSON.stringify(toOpenApi(input))
      return reply.type('application/json; charset=utf-8').send(document)
    })
    scope.get('/docs', open, (_request, reply) => {
      const nonce = randomBytes(16).toString('base64url')
      return reply
        .header('content-security-policy', docsPolicy(nonce))
        .type('text/html; charset=utf-8')
        .send(docsPage(nonce))
    })
    scope.get('/docs/prepare.js', open, (_request, reply) => reply.type(JAVASCRIPT).send(prepareScript))
    scope.get('/docs/start.js', open, (_request, reply) => reply.type(JAVASCRIPT).send(startScript))
    scope.get('/docs/scalar.js', open, sendScalar)
  }
}

// The browser keeps it and asks whether it is still the same.
async function sendScalar(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const { gzipped, etag } = await scalarScript()
  void reply.headers({ etag, 'cache-control': 'no-cache', vary: 'accept-encoding' })
  if (request.headers['if-none-match'] === etag) return reply.code(304).send()
  void reply.type(JAVASCRIPT)
  const takesGzip = /\bgzip\b/.test(String(request.headers['accept-encoding']))
  return takesGzip ? reply.header('content-encoding', 'gzip').send(gzipped) : reply.send(gunzipSync(gzipped))
}
