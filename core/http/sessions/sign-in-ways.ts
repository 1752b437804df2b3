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

/** Why a sign-in at an issuer failed; the page of the sign-in has a text for each. */
export type RefusedReason = 'denied' | 'state' | 'issuer' | 'token' | 'clock' | 'cluster' | 'too_large' | 'unavailable'

/** A sign-in at an issuer that failed. `code` is a word of the protocol, for the log. */
export class SignInRefused extends Error {
  override readonly name = 'SignInRefused'
  readonly reason: RefusedReason
  readonly code: string | undefined
  constructor(reason: RefusedReason, code?: string) {
    super(`sign-in refused: ${reason}`)
    this.reason = reason
    this.code = code
  }
}

/** Sign-in at an issuer of OpenID Connect. Both throw `SignInRefused`. */
export interface OidcWay {
  /** Name of the issuer on the page of the sign-in. */
  readonly title: string
  /** Begins a sign-in. Resolves with the address of the issuer. */
  start(request: FastifyRequest, reply: FastifyReply): Promise<string>
  /** Ends a sign-in. Resolves with the bearer and the path to continue at. */
  finish(request: FastifyRequest, reply: FastifyReply): Promise<{ readonly bearer: string; readonly next: string }>
}
