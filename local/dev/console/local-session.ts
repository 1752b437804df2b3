import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fail } from '#core/errors/domain-error.ts'
import { securityHeaders } from '#core/http/problem/security-headers.ts'
import type { SessionView } from '#core/http/sessions/session-view.ts'
import { userOf } from '../../data-folder/personas.ts'

/** The persona whose bearer every request has. */
const PERSONA = 'admin'
const DAY_MS = 86_400_000
const startedAt = new Date()

/** Responds to what the console asks about its session: the caller is fixed, so there is no sign-in and no sign-out. Throws `method_not_allowed`. */
export function sendSession({ method = '' }: IncomingMessage, response: ServerResponse): void {
  if (method !== 'GET' && method !== 'HEAD')
    throw new Fail('method_not_allowed', 'meshctl dev has one fixed caller, who neither signs in nor out.', {
      headers: { allow: 'GET, HEAD' },
    })
  response.writeHead(200, { ...securityHeaders, 'content-type': 'application/json' })
  response.end(`${JSON.stringify(sessionView(Date.now()))}\n`)
}

function sessionView(now: number): SessionView {
  const endsAt = new Date(now + DAY_MS).toISOString()
  return {
    session: {
      username: userOf(PERSONA).username,
      startedAt: startedAt.toISOString(),
      endsAt,
      idleEndsAt: endsAt,
      personas: [],
      persona: PERSONA,
    },
    ended: null,
    signIn: { code: false, oidc: null },
  }
}
