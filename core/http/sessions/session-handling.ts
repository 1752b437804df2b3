import type { FastifyRequest } from 'fastify'
import type { Authenticator } from '../admission/bearer.ts'
import { stateOf } from '../endpoint/request-context.ts'
import { toProblemResponse } from '../problem/problem.ts'
import { findSession } from './session-reader.ts'
import type { FoundSession, SessionParts } from './session-reader.ts'
import type { SignInWays } from './sign-in-ways.ts'

/** What the handlers of sessions use. */
export interface SessionHandling {
  readonly parts: SessionParts
  readonly ways: SignInWays
  readonly authenticator: Authenticator
}

/** Finds the session of a request. One whose bearer the cluster no longer accepts has ended, too. */
export async function ownSession(
  { parts, authenticator }: SessionHandling,
  request: FastifyRequest,
): Promise<FoundSession> {
  const found = await findSession(parts, request)
  if (found.session === undefined) return found
  try {
    await authenticator.bearer(request, found.session.bearer)
    return found
  } catch (error) {
    if (toProblemResponse(error).status !== 401) throw error
    return { end: 'rejected' }
  }
}

/** Authenticates a bearer at the cluster. Returns who it is. */
export async function authenticateBearer(
  { authenticator }: SessionHandling,
  request: FastifyRequest,
  bearer: string,
): Promise<string> {
  await authenticator.bearer(request, bearer)
  return stateOf(request).username ?? ''
}

/** Whether sessions of a bearer may change to other personas: those of the first persona of the embedded default. */
export function maySwitch({ personas = {} }: SignInWays, bearer: string): boolean {
  return Object.values(personas)[0] === bearer
}
