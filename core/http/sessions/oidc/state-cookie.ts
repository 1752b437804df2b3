import { isObject } from '#core/json/is-object.ts'
import type { Keyring } from '#core/signing/keyring.ts'
import { NotOpenable, openBytes, sealBytes } from '#core/signing/sealed.ts'
import { headerValues } from '../../input/bearer-token.ts'
import type { SessionCookies } from '../cookies.ts'

/** What a sign-in at an issuer needs to end, until it does. */
export interface SignInState {
  readonly id: string
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** Path to continue at. */
  readonly next: string
  /** Unix milliseconds. */
  readonly startedAt: number
}

/** Path of the callback: the cookie is sent to no other. */
export const CALLBACK_PATH = '/session/oidc/callback'

/** Longest duration of a sign-in at the issuer. */
export const SIGN_IN_MS = 10 * 60_000

/** The cookie of a sign-in under way. Lax, since the issuer redirects to the callback from another origin. */
export function createStateCookie({ name, isSecure }: SessionCookies, keys: Keyring, of: readonly string[]) {
  const cookie = isSecure ? '__Secure-mesh-oidc' : name.replace('session', 'oidc')
  const binding = { owner: 'core', purpose: 'oidc-sign-in', of }
  const set = (value: string, seconds: number): string =>
    `${cookie}=${value}; Path=${CALLBACK_PATH}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  return {
    write: (state: SignInState): string =>
      set(sealBytes(keys, Buffer.from(JSON.stringify(state)), binding).toString('base64url'), SIGN_IN_MS / 1_000),
    clear: (): string => set('', 0),
    /** The state of a callback; undefined without one, or for one that does not open. */
    read: (rawHeaders: readonly string[]): SignInState | undefined => {
      const [value, ...more] = valuesOf(cookie, rawHeaders)
      if (value === undefined || more.length > 0) return undefined
      try {
        const state: unknown = JSON.parse(openBytes(keys, Buffer.from(value, 'base64url'), binding).toString())
        return isSignInState(state) ? state : undefined
      } catch (error) {
        if (error instanceof NotOpenable) return undefined
        throw error
      }
    },
  }
}

function valuesOf(cookie: string, rawHeaders: readonly string[]): readonly string[] {
  return headerValues(rawHeaders, 'cookie')
    .flatMap((line) => line.split(';'))
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${cookie}=`))
    .map((pair) => pair.slice(cookie.length + 1))
}

function isSignInState(value: unknown): value is SignInState {
  if (!isObject(value)) return false
  const { id, state, nonce, verifier, next, startedAt } = value
  return [id, state, nonce, verifier, next].every((one) => typeof one === 'string') && Number.isSafeInteger(startedAt)
}
