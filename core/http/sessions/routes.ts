import type { FastifyPluginAsync } from 'fastify'
import { authenticatorOf } from '../admission/bearer.ts'
import { scopedPart } from '../endpoint/server-part.ts'
import { mountPublicPath } from '../reply/public-route.ts'
import { codeIssuer, oidcHandlers, signIn } from './sign-in.ts'
import { showSession, signOut, switchPersona } from './current-session.ts'
import { refuseForeign } from './same-origin.ts'
import type { SessionParts } from './session-reader.ts'
import type { SignInWays } from './sign-in-ways.ts'

// The issuer redirects to its callback from another origin, and a code is made for a bearer.
const ofBrowsers: ReadonlySet<string> = new Set(['/session', '/session/all', '/session/persona'])

/** Routes of sessions, outside `/api`. Each is public and authenticates by itself: by cookie, code, token or issuer. */
export function sessionRoutes(parts: SessionParts, ways: SignInWays): FastifyPluginAsync {
  return scopedPart('mesh-sessions', ['mesh-gate'], (scope) => {
    // Before the body: a form of another page gets this refusal, not that of its media type.
    scope.addHook('onRequest', async (request) => {
      const { url = '', config } = request.routeOptions
      if (ofBrowsers.has(url) && config.allow?.includes(request.method) === true)
        refuseForeign(request, parts.publicUrl)
    })
    // Before the plugins close, which store the last reports.
    scope.addHook('onClose', async () => parts.audit.close())
    const context = { parts, ways, authenticator: authenticatorOf(scope) }
    mountPublicPath(scope, '/session', {
      GET: showSession(context),
      POST: signIn(context),
      DELETE: signOut(context, { everywhere: false }),
    })
    mountPublicPath(scope, '/session/all', { DELETE: signOut(context, { everywhere: true }) })
    if (ways.personas !== undefined) mountPublicPath(scope, '/session/persona', { PUT: switchPersona(context) })
    if (ways.codes !== undefined) mountPublicPath(scope, '/session/codes', { POST: codeIssuer(context, ways.codes) })
    if (ways.oidc === undefined) return
    const { start, finish } = oidcHandlers(context, ways.oidc)
    mountPublicPath(scope, '/session/oidc', { GET: start })
    mountPublicPath(scope, '/session/oidc/callback', { GET: finish })
  })
}
