import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import * as oauth from 'oauth4webapi'
import type { CoreSettings } from '#core/config/core-settings.ts'
import { SettingsError } from '#core/config/settings-error.ts'
import type { Outbound } from '#core/http-client/outbound.ts'
import { recordEnd } from '../session-ends.ts'
import type { SessionParts } from '../session-reader.ts'
import type { OidcWay } from '../sign-in-ways.ts'
import { createIssuer } from './issuer.ts'
import type { Issuer } from './issuer.ts'
import { SignInRefused } from '../sign-in-ways.ts'
import { CALLBACK_PATH, createStateCookie, SIGN_IN_MS } from './state-cookie.ts'

/** Creates the sign-in of the settings; undefined without an issuer. Throws `SettingsError` without the address of its callback. */
export function oidcOf(
  { oidc, publicUrl }: CoreSettings['sessions'],
  outbound: Pick<Outbound, 'request'>,
  now: () => Date,
): ((parts: SessionParts) => OidcWay) | undefined {
  if (oidc === undefined) return undefined
  if (publicUrl === undefined)
    throw new SettingsError('sessions.oidc: needs sessions.publicUrl (MESH_PUBLIC_URL), to which the issuer redirects')
  const issuer = createIssuer(oidc, outbound, now)
  return (parts) => createOidc(parts, issuer, { title: oidc.title, publicUrl })
}

/** Creates the sign-in at an issuer: authorization code with PKCE (RFC 7636), state, nonce and `iss`, at the BFF. */
export function createOidc(parts: SessionParts, issuer: Issuer, given: { title: string; publicUrl: string }): OidcWay {
  const cookie = createStateCookie(parts.cookies, parts.keys, parts.of)
  const redirectUri = new URL(CALLBACK_PATH, given.publicUrl).href
  return {
    title: given.title,
    start: async (request, reply) => {
      const state = {
        id: randomUUID(),
        state: oauth.generateRandomState(),
        nonce: oauth.generateRandomNonce(),
        verifier: oauth.generateRandomCodeVerifier(),
        next: nextOf(request),
        startedAt: parts.now().getTime(),
      }
      const address = await issuer.addressOf(state, redirectUri)
      reply.header('set-cookie', cookie.write(state))
      return address.href
    },
    finish: async (request: FastifyRequest, reply: FastifyReply) => {
      const state = cookie.read(request.raw.rawHeaders)
      reply.header('set-cookie', cookie.clear())
      if (state === undefined || !isYoung(state.startedAt, parts.now().getTime())) throw new SignInRefused('state')
      const checked = await issuer.check(searchOf(request), state)
      // Once: a copy of the address with its cookie is not sent to the issuer again.
      if (!(await recordEnd(parts.store, state.id, state.startedAt + 2 * SIGN_IN_MS))) throw new SignInRefused('state')
      return { bearer: await issuer.redeem(checked, state, redirectUri), next: state.next }
    },
  }
}

const SKEW_MS = 60_000

function isYoung(startedAt: number, now: number): boolean {
  return now - startedAt <= SIGN_IN_MS && startedAt - now <= SKEW_MS
}

function searchOf({ raw: { url = '' } }: FastifyRequest): URLSearchParams {
  const at = url.indexOf('?')
  return new URLSearchParams(at < 0 ? '' : url.slice(at + 1))
}

const MAX_NEXT = 2_000

// A path of this origin: browsers read `//host` and `/\host` as another host.
function nextOf(request: FastifyRequest): string {
  const next = searchOf(request).get('next') ?? ''
  return next.length <= MAX_NEXT && /^\/(?![/\\])[\u0021-\u005b\u005d-\u007e]*$/.test(next) ? next : '/'
}
