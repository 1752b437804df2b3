import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Static } from 'typebox'
import { Fail } from '#core/errors/domain-error.ts'
import { isBearerText, readBearer } from '../input/bearer-token.ts'
import { bodyReader } from '../input/body.ts'
import { toProblemResponse } from '../problem/problem.ts'
import type { SignInWay } from '../audit/refused-sign-ins.ts'
import { beginSession, endSession, refuseLargeBearer } from './browser-sessions.ts'
import { CODE_MS } from './one-time-codes.ts'
import type { OneTimeCodes } from './one-time-codes.ts'
import type { BrowserSession } from './sealed-session.ts'
import { maySwitch, authenticateBearer } from './session-handling.ts'
import type { SessionHandling } from './session-handling.ts'
import { findSession } from './session-reader.ts'
import { viewOf } from './session-view.ts'
import type { SessionView } from './session-view.ts'
import { SignInRefused } from './sign-in-ways.ts'
import type { OidcWay } from './sign-in-ways.ts'

// Longer than any bearer that fits, so that its refusal can say why.
const signInBody = Type.Object(
  {
    code: Type.Optional(Type.String({ maxLength: 128 })),
    token: Type.Optional(Type.String({ minLength: 1, maxLength: 262_144 })),
  },
  { additionalProperties: false },
)

type SignInBody = Static<typeof signInBody>

/** `POST /session`: signs the browser in with a one-time code or a token of the cluster. */
export function signIn(context: SessionHandling) {
  const readBody = bodyReader(signInBody)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<SessionView> => {
    const body = readBody(request.body) as SignInBody
    const way = body.code === undefined ? 'token' : 'code'
    try {
      const session = await begin(context, request, reply, { way, bearer: bearerOf(body, context.ways.codes) })
      return viewOf(context.parts, context.ways, { request, session })
    } catch (error) {
      context.parts.audit.failed(request, way, error)
      throw error
    }
  }
}

function bearerOf({ code, token }: SignInBody, codes: OneTimeCodes | undefined): string {
  if ((code === undefined) === (token === undefined))
    throw invalid(code === undefined ? '/token' : '/code', 'either code or token is required')
  if (code !== undefined) {
    const bearer = codes?.exchange(code)
    if (bearer === undefined) throw new Fail('not_found', 'The code was used or has expired.')
    return bearer
  }
  const given = token?.trim() ?? ''
  if (!isBearerText(given)) throw invalid('/token', 'is not a bearer token')
  return given
}

function invalid(pointer: string, detail: string): Fail {
  return new Fail('invalid_body', undefined, { errors: [{ pointer, detail }] })
}

async function begin(
  context: SessionHandling,
  request: FastifyRequest,
  reply: FastifyReply,
  { way, bearer }: { readonly way: SignInWay; readonly bearer: string },
): Promise<BrowserSession> {
  const { parts, ways } = context
  refuseLargeBearer(bearer)
  const user = await authenticateBearer(context, request, bearer)
  const session = await beginSession(parts, reply, { user, bearer, switches: maySwitch(ways, bearer) })
  // A browser has one session: the one before would stay valid without a way to end it.
  const before = await findSession(parts, request)
  if (before.session !== undefined) {
    await endSession(parts, before.session)
    parts.audit.done(request, { action: 'sign-out', session: before.session })
  }
  parts.audit.done(request, { action: 'sign-in', session, way })
  return session
}

/** `POST /session/codes`: makes a code for the bearer of the request, with which a browser signs in once. */
export function codeIssuer(context: SessionHandling, codes: OneTimeCodes) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    // Not for a session: it would outlive its own end.
    const { rawHeaders, url = '' } = request.raw
    const bearer = readBearer(rawHeaders, url)
    await authenticateBearer(context, request, bearer)
    const expiresAt = new Date(context.parts.now().getTime() + CODE_MS).toISOString()
    return reply.code(201).send({ code: codes.issue(bearer), expiresAt })
  }
}

/** `GET /session/oidc` and its callback. A failure returns to the page of the sign-in with its reason, without any value of the issuer. */
export function oidcHandlers(context: SessionHandling, oidc: OidcWay) {
  const orReason =
    (act: (request: FastifyRequest, reply: FastifyReply) => Promise<string>) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
      reply.redirect(await act(request, reply).catch((error: unknown) => pageOf(error, context, request)), 303)
  return {
    start: orReason((request, reply) => oidc.start(request, reply)),
    finish: orReason(async (request, reply) => {
      const { bearer, next } = await oidc.finish(request, reply)
      await begin(context, request, reply, { way: 'oidc', bearer }).catch((error: unknown) => {
        throw toRefused(error)
      })
      return next
    }),
  }
}

function toRefused(error: unknown): unknown {
  const { status } = toProblemResponse(error)
  if (status === 413) return new SignInRefused('too_large')
  return status === 401 ? new SignInRefused(error instanceof Fail ? 'token' : 'cluster') : error
}

function pageOf(error: unknown, { parts: { log, audit } }: SessionHandling, request: FastifyRequest): string {
  if (!(error instanceof SignInRefused)) {
    audit.failed(request, 'oidc', error)
    throw error
  }
  const { reason: code } = error
  audit.refused(request, { way: 'oidc', code, outcome: code === 'unavailable' ? 'error' : 'denied' })
  log.warn({ reason: error.reason, code: error.code }, 'sign-in at the issuer refused')
  return `/sign-in?error=${error.reason}`
}
