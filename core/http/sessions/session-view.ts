import type { FastifyRequest } from 'fastify'
import { stateOf } from '../endpoint/request-context.ts'
import { endsOf } from './sealed-session.ts'
import type { BrowserSession, SessionEnd } from './sealed-session.ts'
import type { SessionParts } from './session-reader.ts'
import type { SignInWays } from './sign-in-ways.ts'

/** Response of `GET /session` and of a sign-in. It never contains a token. */
export interface SessionView {
  readonly session: {
    readonly username: string
    readonly startedAt: string
    /** The latest end; that of the token if it is earlier. */
    readonly endsAt: string
    /** The end without a further request of the page. */
    readonly idleEndsAt: string
    /** Personas that the session may change to: those of the embedded default. */
    readonly personas: readonly string[]
    readonly persona: string | null
  } | null
  /** Why the session of the browser has ended. */
  readonly ended: SessionEnd | null
  readonly signIn: {
    readonly code: boolean
    /** Title of the issuer of OpenID Connect. */
    readonly oidc: string | null
  }
}

/** Describes a session, or the ways to sign in without one. */
export function viewOf(
  { times }: SessionParts,
  ways: SignInWays,
  found: { readonly session?: BrowserSession; readonly end?: SessionEnd; readonly request: FastifyRequest },
): SessionView {
  const { session, end, request } = found
  const signIn = { code: ways.codes !== undefined, oidc: ways.oidc?.title ?? null }
  if (session === undefined) return { session: null, ended: end ?? null, signIn }
  const { endsAt, idleEndsAt } = endsOf(session, times)
  const personas = Object.entries(ways.personas ?? {})
  return {
    session: {
      username: stateOf(request).username ?? session.user,
      startedAt: toIso(session.startedAt),
      endsAt: toIso(endsAt),
      idleEndsAt: toIso(idleEndsAt),
      personas: session.switches ? personas.map(([name]) => name) : [],
      persona: personas.find(([, bearer]) => bearer === session.bearer)?.[0] ?? null,
    },
    ended: null,
    signIn,
  }
}

function toIso(at: number): string {
  return new Date(at).toISOString()
}
