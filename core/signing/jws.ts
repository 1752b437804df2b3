import { KeyObject, createPublicKey } from 'node:crypto'
import type { webcrypto } from 'node:crypto'
import { JOSEError, JWSSignatureVerificationFailed, JWTExpired } from 'jose/errors'
import { SignJWT } from 'jose/jwt/sign'
import { jwtVerify } from 'jose/jwt/verify'
import type { SigningKey } from './keyring.ts'

/** Claims of every token: purpose and times, in seconds since the epoch. */
export interface Claims {
  readonly typ: string
  readonly iat: number
  readonly exp: number
}

/** Thrown for a token that is not accepted; `reason` is for logs and tests, never for the sender. */
export class JwsRefused extends Error {
  readonly reason:
    | 'too_large'
    | 'malformed'
    | 'header'
    | 'unknown_key'
    | 'signature'
    | 'claims'
    | 'typ'
    | 'expired'
    | 'not_yet'
    | 'no_certificate'
  constructor(reason: JwsRefused['reason']) {
    super(`token refused: ${reason}`)
    this.name = 'JwsRefused'
    this.reason = reason
  }
}

/** Expected purpose of a token, and the clock. It is read after the key was found, which may take a request. */
export interface Expected<C extends Claims> {
  readonly typ: C['typ']
  readonly now: () => Date
}

/** A key of the keyring, whose public half verifies, or an imported public key. */
export type VerifyingKey = KeyObject | webcrypto.CryptoKey

/** Finds a key by its id. */
export type FindKey = (id: string) => VerifyingKey | undefined | Promise<VerifyingKey | undefined>

/** Longest token, in bytes: it is sent in a header (E3). */
export const MAX_JWS_BYTES = 4096

const ALGORITHM = 'EdDSA'
const CLOCK_SKEW_SECONDS = 60

/** Signs claims as a compact JWS (RFC 7515) with Ed25519 (RFC 8037). Rejects if the token would not fit a header. */
export async function signJws(key: SigningKey, claims: Claims): Promise<string> {
  const token = await new SignJWT({ ...claims }).setProtectedHeader(headerOf(key.id, claims.typ)).sign(key.key)
  if (token.length > MAX_JWS_BYTES) throw new JwsRefused('too_large')
  return token
}

/**
 * Verifies a token and returns its claims. Rejects with `JwsRefused`, or with the error of `findKey`. The only algorithm is EdDSA.
 * The shape of the claims beyond `typ`, `iat`, `exp` is not checked: only our keys sign them.
 */
export async function verifyJws<C extends Claims>(token: string, findKey: FindKey, expected: Expected<C>): Promise<C> {
  const [kid, payload] = readStrictly(token, expected.typ)
  const key = await findKey(kid)
  if (key === undefined || !isEd25519(key)) throw new JwsRefused('unknown_key')
  const now = expected.now()
  const options = { algorithms: [ALGORITHM], requiredClaims: ['typ', 'iat', 'exp'], currentDate: now }
  const verified = await jwtVerify<C>(token, publicHalf(key), options).catch(refuse)
  checkClaims(verified.payload, payload, { typ: expected.typ, now })
  return verified.payload
}

function headerOf(kid: string, typ: string) {
  return { alg: ALGORITHM, kid, typ }
}

// jose accepts other headers that it understands; a token must have exactly the header that `signJws` writes.
function readStrictly(token: string, typ: string): readonly [kid: string, payload: string] {
  if (token.length > MAX_JWS_BYTES) throw new JwsRefused('too_large')
  const [header, payload, signature, ...rest] = token.split('.')
  if (header === undefined || payload === undefined || signature === undefined || rest.length > 0)
    throw new JwsRefused('malformed')
  const [text, claims] = [decode(header), decode(payload)]
  decode(signature)
  const { kid, typ: named } = parseHeader(text)
  if (typeof kid !== 'string' || typeof named !== 'string') throw new JwsRefused('header')
  if (text !== JSON.stringify(headerOf(kid, named))) throw new JwsRefused('header')
  if (named !== typ) throw new JwsRefused('typ')
  return [kid, claims]
}

function parseHeader(text: string): { readonly kid?: unknown; readonly typ?: unknown } {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // not JSON: refused below
  }
  throw new JwsRefused('header')
}

// `text` was written by JSON.stringify: if it differs, it has duplicate members, other spacing or unusual escapes.
function checkClaims(claims: Claims, text: string, { typ, now }: { readonly typ: string; readonly now: Date }): void {
  if (JSON.stringify(claims) !== text) throw new JwsRefused('claims')
  if (claims.typ !== typ) throw new JwsRefused('typ')
  if (!Number.isSafeInteger(claims.iat) || !Number.isSafeInteger(claims.exp)) throw new JwsRefused('claims')
  if (claims.iat > now.getTime() / 1000 + CLOCK_SKEW_SECONDS) throw new JwsRefused('not_yet')
}

function refuse(error: unknown): never {
  if (error instanceof JWSSignatureVerificationFailed) throw new JwsRefused('signature')
  if (error instanceof JWTExpired) throw new JwsRefused('expired')
  throw error instanceof JOSEError ? new JwsRefused('claims') : error
}

// Strict base64url: jose accepts padding and other last bits, by which one token could be written in many ways.
function decode(text: string): string {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw new JwsRefused('malformed')
  return bytes.toString('utf8')
}

function isEd25519(key: VerifyingKey): boolean {
  return key instanceof KeyObject ? key.asymmetricKeyType === 'ed25519' : key.algorithm.name === 'Ed25519'
}

// jose keeps what it imports by key object: a new object for each token would be imported for each token.
const publicHalves = new WeakMap<KeyObject, KeyObject>()

function publicHalf(key: VerifyingKey): VerifyingKey {
  if (!(key instanceof KeyObject) || key.type === 'public') return key
  const known = publicHalves.get(key) ?? createPublicKey(key)
  publicHalves.set(key, known)
  return known
}
