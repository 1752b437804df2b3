import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import type { Static } from 'typebox'
import { bodyReader } from '#core/http/input/body.ts'
import { mountPublicRoute } from '#core/http/reply/public-route.ts'
import { DATA_POLICY } from '#core/http/problem/security-headers.ts'
import type { LandingFacts } from './landing-commands.ts'
import { landingPage, landingScript, landingStyle } from './landing-page.ts'

const codeMs = 10 * 60_000
const sessionBody = Type.Object({ code: Type.String({ maxLength: 128 }) }, { additionalProperties: false })

/** A code for one exchange within ten minutes; it is passed in the fragment, which browsers do not send. */
export interface OneTimeCode {
  readonly code: string
  exchange(given: string): string | undefined
}

/** Creates a code for a token; `now` returns monotonic milliseconds. */
export function createOneTimeCode(token: string, now: () => number = () => performance.now()): OneTimeCode {
  const code = randomBytes(24).toString('base64url')
  const until = now() + codeMs
  let used = false
  return {
    code,
    exchange(given) {
      if (used || now() > until || !same(given, code)) return undefined
      used = true
      return token
    },
  }
}

/** Serves `/` and `/session`: the landing page. */
export function landingRoutes(code: OneTimeCode, page: LandingFacts): FastifyPluginAsync {
  const html = landingPage(page)
  const policy = `${DATA_POLICY}; script-src '${hashOf(landingScript)}'; style-src '${hashOf(landingStyle)}'; connect-src 'self'; img-src 'self'`
  const readBody = bodyReader(sessionBody)
  return async (scope) => {
    mountPublicRoute(scope, {
      method: 'GET',
      url: '/',
      handler: (_request, reply) =>
        reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(html),
    })
    mountPublicRoute(scope, {
      method: 'POST',
      url: '/session',
      handler: (request, reply) => {
        const given = readBody(request.body) as Static<typeof sessionBody>
        const token = code.exchange(given.code)
        return token === undefined ? reply.code(404).send({ code: 'not_found' }) : reply.send({ token })
      },
    })
  }
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

function same(given: string, code: string): boolean {
  const [a, b] = [given, code].map((text) => createHash('sha256').update(text).digest())
  return a !== undefined && b !== undefined && timingSafeEqual(a, b)
}
