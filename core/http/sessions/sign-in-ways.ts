import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OneTimeCodes } from './one-time-codes.ts'

/** Ways to sign in besides a pasted token. */
export interface SignInWays {
  /** One-time codes of the embedded default. */
  readonly codes?: OneTimeCodes | undefined
  /** Bearers by persona, of the embedded default. A session of the first one may change to the others. */
  readonly personas?: Readonly<Record<string, string>> | undefined
  readonly oidc?: OidcWay | undefined
}

/** Sign-in at an issuer of OpenID Connect. */
export interface OidcWay {
  /** Name of the issuer on the page of the sign-in. */
  readonly title: string
  /** Begins a sign-in: redirects to the issuer. */
  start(request: FastifyRequest, reply: FastifyReply): Promise<unknown>
  /** Ends a sign-in. Resolves with the bearer and the path to continue at. */
  finish(request: FastifyRequest, reply: FastifyReply): Promise<{ readonly bearer: string; readonly next: string }>
}
