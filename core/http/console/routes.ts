import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { Fail } from '#core/errors/domain-error.ts'
import { scopedPart } from '../endpoint/server-part.ts'
import { mountPublicRoute } from '../reply/public-route.ts'
import { sendStaticFile } from '../reply/static-file.ts'
import { consoleFiles } from './console-files.ts'

/** Path of the console without a page. */
export const CONSOLE_PATH = '/console'

const SIGN_IN_PATH = '/sign-in'

/** Policy of the console: scripts, styles, data and images of this server only, and no text becomes markup. */
export const CONSOLE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

const YEAR_SECONDS = 31_536_000

/**
 * The console, all public: `/console`, `/sign-in`, the paths of the pages, and the files below `/assets`. The page is the same at each address; what it
 * shows are responses of the API to its caller. Another path stays a 404.
 */
export function consoleRoutes(paths: readonly string[]): FastifyPluginAsync {
  return scopedPart('mesh-console', ['mesh-gate'], (scope) => {
    for (const url of [CONSOLE_PATH, SIGN_IN_PATH, ...paths.flatMap((path) => [path, `${path}/*`])])
      mountPublicRoute(scope, { method: 'GET', url, handler: sendPage })
    mountPublicRoute(scope, { method: 'GET', url: '/assets/:name', handler: sendAsset })
  })
}

async function sendPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const page = (await consoleFiles()).get('/')
  if (page === undefined) throw new Fail('not_found')
  return sendStaticFile(request, reply.header('content-security-policy', CONSOLE_POLICY), page)
}

// The name has a hash of the content, so that a browser never asks twice.
async function sendAsset(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { name } = request.params as { readonly name: string }
  const file = (await consoleFiles()).get(`/assets/${name}`)
  if (file === undefined) throw new Fail('not_found')
  return sendStaticFile(request, reply, file, { cache: `public, max-age=${YEAR_SECONDS}, immutable` })
}
