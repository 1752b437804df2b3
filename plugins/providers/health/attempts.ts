import type { MeteredModelCall } from '../contract/events.ts'

/** An attempt: milliseconds since 1970, and milliseconds to the first byte or `FAILED`. */
export type SeenAttempt = readonly [at: number, firstByteMs: number]

/** In place of a time to the first byte. */
export const FAILED = -1

/** Attempts that are kept of each provider. */
export const KEPT_ATTEMPTS = 50

/** What is known of a provider. */
export interface SeenProvider {
  readonly attempts: readonly SeenAttempt[]
  readonly lastSuccessAt: number | undefined
  readonly lastErrorAt: number | undefined
  readonly lastErrorClass: string | undefined
}

/** A provider before its first attempt. */
export const unseen: SeenProvider = {
  attempts: [],
  lastSuccessAt: undefined,
  lastErrorAt: undefined,
  lastErrorClass: undefined,
}

/** One attempt at a provider, `namespace/name`. */
export interface MeteredAttempt {
  readonly provider: string
  readonly at: number
  /** Undefined for a success. */
  readonly reason: string | undefined
  readonly firstByteMs: number
}

// The request was wrong, or it was not sent to the provider.
const ofOthers: ReadonlySet<string> = new Set(['request_refused', 'provider_missing', 'not_allowed'])

/** The attempts of a metered call that say something about their provider. */
export function attemptsOf(
  { provider, status, firstByteMs, failed = [] }: MeteredModelCall,
  time: Date,
): readonly MeteredAttempt[] {
  const at = time.getTime()
  const failures = failed.flatMap(({ provider: asked, reason }) =>
    ofOthers.has(reason) ? [] : [{ provider: asked, at, reason, firstByteMs: FAILED }],
  )
  return status < 400 ? [...failures, { provider, at, reason: undefined, firstByteMs }] : failures
}

/** Adds attempts of one provider. Events may come twice or late: the newest are kept. */
export function addAttempts(known: SeenProvider, added: readonly MeteredAttempt[]): SeenProvider {
  const fresh = added.map(({ at, firstByteMs }): SeenAttempt => [at, firstByteMs])
  const attempts = [...known.attempts, ...fresh].toSorted(([a], [b]) => a - b).slice(-KEPT_ATTEMPTS)
  const successes = added.filter(({ reason }) => reason === undefined).map(({ at }) => at)
  const error = added
    .filter(({ reason }) => reason !== undefined)
    .toSorted((a, b) => a.at - b.at)
    .at(-1)
  const isNewer = error !== undefined && error.at >= (known.lastErrorAt ?? 0)
  return {
    attempts,
    lastSuccessAt: newest([known.lastSuccessAt, ...successes]),
    lastErrorAt: isNewer ? error.at : known.lastErrorAt,
    lastErrorClass: isNewer ? error.reason : known.lastErrorClass,
  }
}

function newest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined)
  return known.length === 0 ? undefined : Math.max(...known)
}
