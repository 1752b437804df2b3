import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { Fail } from '#core/errors/domain-error.ts'
import { scopedPart } from '../endpoint/server-part.ts'
import { mountPublicRoute } from '../reply/public-route.ts'
import { sendStaticFile } from '../reply/static-file.ts'
import { wantsJson } from '../reply/wants-json.ts'
import { consoleFiles } from './console-files.ts'
import { OAUTH_CALLBACK_PATH } from './oauth-paths.ts'

const HOME_PATH = '/'
/** Where the console was before; its addresses lead to `/`. */
const FORMER_PATH = '/console'
const SIGN_IN_PATH = '/sign-in'
/** The page on which a person consents to an MCP server. */
const CONSENT_PATH = '/consent/:namespace/:server'
/** A page without a session: its token is the right to see it. */
const SHARED_PATH = '/shared/:token'

/** Policy of the console: scripts, styles, data and images of this server only, and no text becomes markup. */
export const CONSOLE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

const YEAR_SECONDS = 31_536_000

/**
 * The console, all public: `/`, `/sign-in`, `/shared/{token}`, `/oauth/callback`, `/consent/{ns}/{server}`, the paths of the pages, and the files below `/assets`. The page is the same at each
 * address; what it shows are responses of the API to its caller. Another path stays a 404.
 */
export function consoleRoutes(paths: readonly string[]): FastifyPluginAsync {
  return scopedPart('mesh-console', ['mesh-gate'], (scope) => {
    const ofPages = paths.filter((path) => path !== HOME_PATH).flatMap((path) => [path, `${path}/*`])
    mountPublicRoute(scope, { method: 'GET', url: HOME_PATH, handler: sendHome })
    for (const url of [SIGN_IN_PATH, CONSENT_PATH, ...ofPages])
      mountPublicRoute(scope, { method: 'GET', url, handler: sendPage })
    for (const url of [SHARED_PATH, OAUTH_CALLBACK_PATH])
      mountPublicRoute(scope, { method: 'GET', url, handler: sendUnlistedPage })
    mountPublicRoute(scope, { method: 'GET', url: FORMER_PATH, handler: (_, reply) => reply.redirect(HOME_PATH) })
    mountPublicRoute(scope, { method: 'GET', url: '/assets/:name', handler: sendAsset })
  })
}

// A program gets the document of the API.
function sendHome(request: FastifyRequest, reply: FastifyReply): FastifyReply | Promise<FastifyReply> {
  if (wantsJson(request.headers.accept)) return reply.header('vary', 'accept').redirect('/openapi.json')
  return sendPage(request, reply)
}

// A program that asks for JSON may have forgotten `/api`.
async function sendPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (wantsJson(request.headers.accept)) throw new Fail('not_found')
  const page = (await consoleFiles()).get('/')
  if (page === undefined) throw new Fail('not_found')
  return sendStaticFile(request, reply.header('content-security-policy', CONSOLE_POLICY), page, {
    vary: 'accept, accept-encoding',
  })
}

// Neither a search engine nor the address of a link that is followed from it learns the token or the code.
function sendUnlistedPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return sendPage(request, reply.headers({ 'x-robots-tag': 'noindex', 'referrer-policy': 'no-referrer' }))
}

// The name has a hash of the content, so that a browser never asks twice.
async function sendAsset(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { name } = request.params as { readonly name: string }
  const file = (await consoleFiles()).get(`/assets/${name}`)
  if (file === undefined) throw new Fail('not_found')
  return sendStaticFile(request, reply, file, { cache: `public, max-age=${YEAR_SECONDS}, immutable` })
}
