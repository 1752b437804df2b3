import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { isObject } from '#core/json/is-object.ts'
import { msUntilExpiry } from '#core/cluster/token-claims.ts'
import type { Keyring } from '#core/signing/keyring.ts'
import { NotOpenable, openBytes, sealBytes } from '#core/signing/sealed.ts'
import { MAX_VALUE } from './cookies.ts'

/** What the cookies of a session hold. There is no copy of it on the server. Times are Unix milliseconds. */
export interface BrowserSession {
  readonly id: string
  /** Who signed in; the epoch is that of this user. */
  readonly user: string
  readonly epoch: number
  readonly bearer: string
  readonly startedAt: number
  /** Time of the last renewal. */
  readonly seenAt: number
  /** The session may change to another persona of the embedded default. */
  readonly switches: boolean
}

/** Longest bearer. A server refuses a larger header, so a longer one could not be used at the cluster either. */
export const MAX_BEARER = 16_384

const MAX_PLAIN = 2 * MAX_BEARER

/** Compresses and seals a session; undefined if its bearer is too large for the cookies. */
export function packSession(keys: Keyring, session: BrowserSession, of: readonly string[]): string | undefined {
  const plain = deflateRawSync(JSON.stringify(session), { level: 9 })
  const value = sealBytes(keys, plain, bindingOf(of)).toString('base64url')
  return value.length > MAX_VALUE ? undefined : value
}

/** Opens a session; undefined if it was changed, belongs to another server, or its key is gone. */
export function unpackSession(keys: Keyring, value: string, of: readonly string[]): BrowserSession | undefined {
  const sealed = Buffer.from(value, 'base64url')
  if (sealed.toString('base64url') !== value) return undefined
  try {
    const plain = openBytes(keys, sealed, bindingOf(of))
    const session: unknown = JSON.parse(inflateRawSync(plain, { maxOutputLength: MAX_PLAIN }).toString())
    return isSession(session) ? session : undefined
  } catch (error) {
    if (error instanceof NotOpenable) return undefined
    throw error
  }
}

function bindingOf(of: readonly string[]) {
  return { owner: 'core', purpose: 'session', of }
}

// An older release may have sealed another form.
function isSession(value: unknown): value is BrowserSession {
  if (!isObject(value)) return false
  const { id, user, epoch, bearer, startedAt, seenAt, switches } = value
  return (
    [id, user, bearer].every((one) => typeof one === 'string') &&
    [epoch, startedAt, seenAt].every(Number.isSafeInteger) &&
    typeof switches === 'boolean'
  )
}

/** Longest durations of a session, in milliseconds. */
export interface SessionTimes {
  readonly idleMs: number
  readonly absoluteMs: number
}

/** Ends of a session, as Unix milliseconds. */
export interface SessionEnds {
  /** The absolute end, or that of the bearer if it is earlier. */
  readonly endsAt: number
  /** The end without a renewal. */
  readonly idleEndsAt: number
}

/** Computes the ends of a session from the settings of now, so that shorter ones apply at once. */
export function endsOf({ startedAt, seenAt, bearer }: BrowserSession, times: SessionTimes): SessionEnds {
  const absolute = startedAt + times.absoluteMs
  const endsAt = Math.min(absolute, msUntilExpiry(bearer, 0))
  return { endsAt, idleEndsAt: Math.min(endsAt, seenAt + times.idleMs) }
}

/** Why a session is not valid. */
export type SessionEnd = 'idle' | 'expired' | 'clock' | 'signed_out' | 'unreadable' | 'rejected'

// Clocks of two replicas may differ by this.
const SKEW_MS = 60_000

/** Why the times of a session refuse it; undefined if they do not. */
export function timeProblem(session: BrowserSession, times: SessionTimes, now: number): SessionEnd | undefined {
  const { endsAt, idleEndsAt } = endsOf(session, times)
  if (Math.max(session.startedAt, session.seenAt) > now + SKEW_MS) return 'clock'
  if (now >= endsAt) return 'expired'
  return now >= idleEndsAt ? 'idle' : undefined
}
