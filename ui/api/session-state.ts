/** The session of this browser. Its token is in cookies that no script can read. */
export interface SessionFacts {
  readonly username: string
  readonly startedAt: string
  readonly endsAt: string
  readonly idleEndsAt: string
  /** Personas that the session may change to; empty on a cluster. */
  readonly personas: readonly string[]
  readonly persona: string | null
}

/** Response of `GET /session`. */
export interface SessionState {
  readonly session: SessionFacts | null
  /** Why the session has ended; null if there was none. */
  readonly ended: string | null
  readonly signIn: { readonly code: boolean; readonly oidc: string | null }
}

/**
 * The state after another response. Several requests may learn at once that the session has ended: the first response clears the cookie, and later
 * ones know of no session.
 */
export function keepEnd(next: SessionState, known: SessionState | undefined): SessionState {
  const isLater = next.session === null && next.ended === null && known?.session === null
  return isLater ? { ...next, ended: known.ended } : next
}
