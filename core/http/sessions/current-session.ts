import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Static } from 'typebox'
import { Fail } from '#core/errors/domain-error.ts'
import { bodyReader } from '../input/body.ts'
import { beginSession, endSession, forgetSession, isRenewalDue, keepSession } from './browser-sessions.ts'
import { ownSession, authenticateBearer } from './session-handling.ts'
import type { SessionHandling } from './session-handling.ts'
import { raiseEpoch } from './session-ends.ts'
import { findSession } from './session-reader.ts'
import { viewOf } from './session-view.ts'
import type { SessionView } from './session-view.ts'

type Handler<Result> = (request: FastifyRequest, reply: FastifyReply) => Promise<Result>

/** `GET /session`: the session of the browser, or the ways to sign in. It renews the session, which other requests do not. */
export function showSession(context: SessionHandling): Handler<SessionView> {
  const { parts, ways } = context
  return async (request, reply) => {
    const { session, end } = await ownSession(context, request)
    if (session === undefined) {
      if (end !== undefined) forgetSession(parts, reply)
      return viewOf(parts, ways, { request, ...(end === undefined ? {} : { end }) })
    }
    const shown = isRenewalDue(session, parts) ? { ...session, seenAt: parts.now().getTime() } : session
    if (shown !== session) keepSession(parts, reply, shown)
    return viewOf(parts, ways, { request, session: shown })
  }
}

/** `DELETE /session` and `DELETE /session/all`: ends the session, or all of its user at every replica. */
export function signOut(
  { parts }: SessionHandling,
  { everywhere }: { readonly everywhere: boolean },
): Handler<FastifyReply> {
  return async (request, reply) => {
    const { session } = await findSession(parts, request)
    if (session === undefined && everywhere) throw new Fail('unauthenticated', 'The session has ended; sign in first.')
    if (session !== undefined) {
      await (everywhere ? raiseEpoch(parts.store, session.user) : endSession(parts, session))
      parts.audit.done(request, { action: everywhere ? 'sign-out-everywhere' : 'sign-out', session })
    }
    forgetSession(parts, reply)
    return reply.code(204).send()
  }
}

const personaBody = Type.Object({ persona: Type.String({ maxLength: 63 }) }, { additionalProperties: false })

/** `PUT /session/persona`: continues as another persona of the embedded default, until the session ends. */
export function switchPersona(context: SessionHandling): Handler<SessionView> {
  const { parts, ways } = context
  const readBody = bodyReader(personaBody)
  return async (request, reply) => {
    const { persona } = readBody(request.body) as Static<typeof personaBody>
    const { session } = await findSession(parts, request)
    if (session === undefined) throw new Fail('unauthenticated', 'The session has ended; sign in first.')
    if (!session.switches) throw new Fail('forbidden', 'Only a session that began as admin may change its persona.')
    const bearer = new Map(Object.entries(ways.personas ?? {})).get(persona)
    if (bearer === undefined)
      throw new Fail('invalid_body', undefined, {
        errors: [{ pointer: '/persona', detail: `must be one of ${Object.keys(ways.personas ?? {}).join(', ')}` }],
      })
    await authenticateBearer(context, request, bearer)
    // A new identity of the session: a response that is still under way cannot bring the old persona back.
    const next = await beginSession(parts, reply, { user: session.user, bearer, switches: true }, session.startedAt)
    await endSession(parts, session)
    parts.audit.done(request, { action: 'switch-persona', session: next, persona })
    return viewOf(parts, ways, { request, session: next })
  }
}
