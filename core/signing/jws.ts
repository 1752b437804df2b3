import { KeyObject, sign, verify } from 'node:crypto'
import type { webcrypto } from 'node:crypto'
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

/** Expected purpose of a token, and the clock. The clock is read after the key was found, which may take a request. */
export interface TokenExpectation<C extends Claims> {
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

/**
 * Signs claims as a compact JWS (RFC 7515) with Ed25519 (RFC 8037). Rejects if the token would not fit a header. Signed in this thread: the
 * job of WebCrypto costs more than the signature.
 */
export async function signJws(key: SigningKey, claims: Claims): Promise<string> {
  if (key.key.asymmetricKeyType !== 'ed25519') throw new TypeError('tokens are signed with Ed25519')
  const input = `${encode(headerOf(key.id, claims.typ))}.${encode(claims)}`
  const token = `${input}.${sign(null, Buffer.from(input), key.key).toString('base64url')}`
  if (token.length > MAX_JWS_BYTES) throw new JwsRefused('too_large')
  return token
}

/**
 * Verifies a token and returns its claims. Rejects with `JwsRefused`, or with the error of `findKey`. The only algorithm is EdDSA.
 * The shape of the claims beyond `typ`, `iat`, `exp` is not checked: only our keys sign them.
 */
export async function verifyJws<C extends Claims>(
  token: string,
  findKey: FindKey,
  expected: TokenExpectation<C>,
): Promise<C> {
  const { kid, payload, signature } = readStrictly(token, expected.typ)
  const key = await findKey(kid)
  if (key === undefined || !isEd25519(key)) throw new JwsRefused('unknown_key')
  const now = expected.now()
  const signed = Buffer.from(token.slice(0, token.lastIndexOf('.')))
  if (!verify(null, signed, toKeyObject(key), signature)) throw new JwsRefused('signature')
  const claims = parseClaims(payload)
  checkClaims(claims, payload, { typ: expected.typ, now })
  return claims as C
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function headerOf(kid: string, typ: string) {
  return { alg: ALGORITHM, kid, typ }
}

interface Read {
  readonly kid: string
  readonly payload: string
  readonly signature: Buffer
}

// A token must have exactly the header that `signJws` writes, so that no other algorithm and no extension is understood.
function readStrictly(token: string, typ: string): Read {
  if (token.length > MAX_JWS_BYTES) throw new JwsRefused('too_large')
  const [header, payload, signature, ...rest] = token.split('.')
  if (header === undefined || payload === undefined || signature === undefined || rest.length > 0)
    throw new JwsRefused('malformed')
  const text = decode(header).toString('utf8')
  const { kid, typ: named } = parseHeader(text)
  if (typeof kid !== 'string' || typeof named !== 'string') throw new JwsRefused('header')
  if (text !== JSON.stringify(headerOf(kid, named))) throw new JwsRefused('header')
  if (named !== typ) throw new JwsRefused('typ')
  return { kid, payload: decode(payload).toString('utf8'), signature: decode(signature) }
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

function parseClaims(text: string): Claims {
  try {
    const value = JSON.parse(text) as Partial<Claims> | null
    if (typeof value?.typ === 'string') return value as Claims
  } catch {
    // not JSON: refused below
  }
  throw new JwsRefused('claims')
}

// `text` was written by JSON.stringify: if it differs, it has duplicate members, other spacing or unusual escapes.
function checkClaims(claims: Claims, text: string, { typ, now }: { readonly typ: string; readonly now: Date }): void {
  if (JSON.stringify(claims) !== text) throw new JwsRefused('claims')
  if (claims.typ !== typ) throw new JwsRefused('typ')
  if (!Number.isSafeInteger(claims.iat) || !Number.isSafeInteger(claims.exp)) throw new JwsRefused('claims')
  const seconds = now.getTime() / 1000
  // Negated, so that a clock without a time accepts nothing.
  if (!(claims.exp > Math.floor(seconds))) throw new JwsRefused('expired')
  if (claims.iat > seconds + CLOCK_SKEW_SECONDS) throw new JwsRefused('not_yet')
}

// Strict base64url: Buffer accepts padding and other last bits, by which one token could be written in many ways.
function decode(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw new JwsRefused('malformed')
  return bytes
}

function isEd25519(key: VerifyingKey): boolean {
  return key instanceof KeyObject ? key.asymmetricKeyType === 'ed25519' : key.algorithm.name === 'Ed25519'
}

// Imported keys are few and kept by the launcher; a new object for each token would cost more than the check.
const keyObjects = new WeakMap<webcrypto.CryptoKey, KeyObject>()

function toKeyObject(key: VerifyingKey): KeyObject {
  if (key instanceof KeyObject) return key
  const known = keyObjects.get(key) ?? KeyObject.from(key)
  keyObjects.set(key, known)
  return known
}
