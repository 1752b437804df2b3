import { createHash } from 'node:crypto'
import type { FastifyPluginAsync } from 'fastify'
import { mountPublicRoute } from '#core/http/reply/public-route.ts'
import { DATA_POLICY } from '#core/http/problem/security-headers.ts'
import type { LandingFacts } from './landing-commands.ts'
import { landingPage, landingScript, landingStyle } from './landing-page.ts'

/** Serves `/`: the landing page. */
export function landingRoutes(page: LandingFacts): FastifyPluginAsync {
  const html = landingPage(page)
  const policy = `${DATA_POLICY}; script-src '${hashOf(landingScript)}'; style-src '${hashOf(landingStyle)}'; connect-src 'self'; img-src 'self'`
  return async (scope) => {
    mountPublicRoute(scope, {
      method: 'GET',
      url: '/',
      handler: (_request, reply) =>
        reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(html),
    })
  }
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
