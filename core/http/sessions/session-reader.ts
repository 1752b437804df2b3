import type { FastifyRequest } from 'fastify'
import { Fail } from '#core/errors/domain-error.ts'
import type { Store } from '#core/event-store/store.ts'
import type { Logger } from '#core/log/logger.ts'
import type { Keyring } from '#core/signing/keyring.ts'
import { stateOf } from '../endpoint/request-context.ts'
import type { SessionReader } from '../endpoint/server-context.ts'
import { readCookies } from './cookies.ts'
import type { SessionCookies } from './cookies.ts'
import { refuseForeign } from './same-origin.ts'
import { timeProblem, unpackSession } from './sealed-session.ts'
import type { BrowserSession, SessionEnd, SessionTimes } from './sealed-session.ts'
import type { SessionAudit } from '../audit/session-audit.ts'
import { readStanding } from './session-ends.ts'

/** What sessions are made of. */
export interface SessionParts {
  readonly cookies: SessionCookies
  readonly keys: Keyring
  readonly store: Store
  readonly log: Logger
  readonly audit: SessionAudit
  readonly now: () => Date
  readonly times: SessionTimes
  /** Installation and cookie: a cookie of another server does not open. */
  readonly of: readonly string[]
  readonly publicUrl: string | undefined
}

/** The session of a request, or why it has none. */
export type FoundSession =
  | { readonly session: BrowserSession; readonly end?: undefined }
  | { readonly session?: undefined; readonly end: SessionEnd | undefined }

/** Finds the session of a request. What does not open is refused without a call to the store. */
export async function findSession(parts: SessionParts, { raw }: FastifyRequest): Promise<FoundSession> {
  const value = readCookies(parts.cookies, raw.rawHeaders)
  if (value === undefined) return { end: undefined }
  const session = unpackSession(parts.keys, value, parts.of)
  if (session === undefined) return { end: 'unreadable' }
  const end = await endOf(parts, session)
  return end === undefined ? { session } : { end }
}

async function endOf(parts: SessionParts, session: BrowserSession): Promise<SessionEnd | undefined> {
  const problem = timeProblem(session, parts.times, parts.now().getTime())
  if (problem !== undefined) return problem
  const { epoch, isEnded } = await readStanding(parts.store, session.user, session.id)
  return isEnded || session.epoch !== epoch ? 'signed_out' : undefined
}

/** Creates the reader of the cookies of a server. */
export function createSessionReader(parts: SessionParts): SessionReader {
  return {
    bearerOf: async (request) => {
      if (readCookies(parts.cookies, request.raw.rawHeaders) === undefined) return undefined
      refuseForeign(request, parts.publicUrl)
      const { session, end } = await findSession(parts, request)
      if (session === undefined) {
        parts.log.info({ end }, 'session refused')
        throw new Fail('unauthenticated')
      }
      const state = stateOf(request)
      state.sessionId = session.id
      state.recheckSession = async () => {
        if ((await endOf(parts, session)) !== undefined) throw new Fail('unauthenticated')
      }
      return session.bearer
    },
  }
}
