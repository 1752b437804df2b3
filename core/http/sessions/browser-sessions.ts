import { randomUUID } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { Fail } from '#core/errors/domain-error.ts'
import { clearCookies, writeCookies } from './cookies.ts'
import { endsOf, MAX_BEARER, packSession } from './sealed-session.ts'
import type { BrowserSession } from './sealed-session.ts'
import { readStanding, recordEnd } from './session-ends.ts'
import type { SessionParts } from './session-reader.ts'

/** A bearer that the cluster has accepted, and whose it is. */
export interface SignedIn {
  readonly user: string
  readonly bearer: string
  readonly switches: boolean
}

/** Refuses a bearer that no session can hold, with the reason. */
export function refuseLargeBearer(bearer: string): void {
  if (bearer.length > MAX_BEARER) throw tooLarge(bearer)
}

/** Begins a session: sets its cookies. Throws for a bearer that does not fit them, or has expired. */
export async function beginSession(
  parts: SessionParts,
  reply: FastifyReply,
  given: SignedIn,
  startedAt?: number,
): Promise<BrowserSession> {
  const { epoch } = await readStanding(parts.store, given.user, '')
  const at = parts.now().getTime()
  const session = { ...given, id: randomUUID(), epoch, startedAt: startedAt ?? at, seenAt: at }
  if (endsOf(session, parts.times).endsAt <= at)
    throw new Fail('unauthenticated', 'The token has expired by the clock of this server.')
  keepSession(parts, reply, session)
  return session
}

/** Sets the cookies of a session. They end with it, by the clock of the browser since the response. */
export function keepSession(parts: SessionParts, reply: FastifyReply, session: BrowserSession): void {
  const value = packSession(parts.keys, session, parts.of)
  if (value === undefined) throw tooLarge(session.bearer)
  const seconds = (endsOf(session, parts.times).idleEndsAt - parts.now().getTime()) / 1_000
  reply.header('set-cookie', writeCookies(parts.cookies, value, seconds))
}

/** Ends a session: a copy of its cookies is refused from now on. */
export async function endSession(parts: SessionParts, session: BrowserSession): Promise<void> {
  await recordEnd(parts.store, session.id, endsOf(session, parts.times).endsAt)
}

/** Removes the cookies from the browser. */
export function forgetSession({ cookies }: SessionParts, reply: FastifyReply): void {
  reply.header('set-cookie', clearCookies(cookies))
}

const RENEW_MS = 60_000

/** Whether a session is due to be renewed: at most once a minute, and several times before its idle end. */
export function isRenewalDue({ seenAt }: BrowserSession, { times, now }: SessionParts): boolean {
  return now().getTime() - seenAt >= Math.min(RENEW_MS, times.idleMs / 4)
}

function tooLarge(bearer: string): Fail {
  return new Fail(
    'payload_too_large',
    `The token has ${bearer.length} bytes, which do not fit the cookies of a session (three of 4 KB, after compression). Ask for a token with fewer groups or claims.`,
  )
}
