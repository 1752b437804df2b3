import { createPublicKey, sign, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { JsonWebKeyEd25519, SigningKey } from './keyring.ts'

/** What every token of ours says: its purpose and its time, in seconds since the epoch. */
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
  constructor(reason: JwsRefused['reason']) {
    super(`token refused: ${reason}`)
    this.name = 'JwsRefused'
    this.reason = reason
  }
}

/** Longest token, in bytes: it travels in a header (E3). */
export const MAX_JWS_BYTES = 4096

const CLOCK_SKEW_SECONDS = 60

/** Signs claims as a compact JWS (RFC 7515) with Ed25519 (RFC 8037); throws when it would not fit a header. */
export function signJws(key: SigningKey, claims: Claims): string {
  const input = `${encode(JSON.stringify(headerOf(key.id, claims.typ)))}.${encode(JSON.stringify(claims))}`
  const token = `${input}.${sign(null, Buffer.from(input), key.key).toString('base64url')}`
  if (token.length > MAX_JWS_BYTES) throw new JwsRefused('too_large')
  return token
}

/**
 * Verifies a token and gives its claims; throws `JwsRefused`. The only algorithm is EdDSA: `none` and HMAC are not understood.
 * The claims' shape beyond `typ`, `iat`, `exp` is what the signer wrote.
 */
export function verifyJws<C extends Claims>(
  token: string,
  findKey: (id: string) => KeyObject | undefined,
  expected: { readonly typ: C['typ']; readonly now: Date },
): C {
  if (token.length > MAX_JWS_BYTES) throw new JwsRefused('too_large')
  const [header, payload, signature, ...rest] = token.split('.')
  if (header === undefined || payload === undefined || signature === undefined || rest.length > 0)
    throw new JwsRefused('malformed')
  const key = findKey(readKeyId(header, expected.typ))
  if (key === undefined || key.asymmetricKeyType !== 'ed25519') throw new JwsRefused('unknown_key')
  if (!verify(null, Buffer.from(`${header}.${payload}`), key, decode(signature))) throw new JwsRefused('signature')
  const claims: C = readCanonical(payload, 'claims')
  checkClaims(claims, expected)
  return claims
}

/** The key id a token names, unverified; undefined when it has no readable header. For fetching a key set once more. */
export function keyIdOf(token: string): string | undefined {
  try {
    const header: { kid?: unknown } = readCanonical(token.slice(0, MAX_JWS_BYTES).split('.')[0] ?? '', 'header')
    return typeof header.kid === 'string' ? header.kid : undefined
  } catch {
    return undefined
  }
}

/** The public key of a JWK (RFC 8037). */
export function publicKeyOf(jwk: JsonWebKeyEd25519): KeyObject {
  return createPublicKey({ key: { kty: jwk.kty, crv: jwk.crv, x: jwk.x }, format: 'jwk' })
}

function headerOf(kid: string, typ: string) {
  return { alg: 'EdDSA', kid, typ }
}

// The header must be byte for byte the one that we write: no other algorithm, no `crit`, `jwk` or `jku`, no duplicate.
function readKeyId(encoded: string, typ: string): string {
  const header: { kid?: unknown; typ?: unknown } = readCanonical(encoded, 'header')
  if (typeof header.kid !== 'string' || typeof header.typ !== 'string') throw new JwsRefused('header')
  if (JSON.stringify(header) !== JSON.stringify(headerOf(header.kid, header.typ))) throw new JwsRefused('header')
  if (header.typ !== typ) throw new JwsRefused('typ')
  return header.kid
}

// Written by JSON.stringify, so anything that does not come back identical has duplicate members, other spacing or odd escapes.
function readCanonical<T>(encoded: string, part: 'header' | 'claims'): T {
  const text = decode(encoded).toString('utf8')
  try {
    const value: T = JSON.parse(text)
    if (JSON.stringify(value) === text && typeof value === 'object' && value !== null) return value
  } catch {
    // not JSON: refused below
  }
  throw new JwsRefused(part)
}

function checkClaims(claims: Claims, expected: { readonly typ: string; readonly now: Date }): void {
  if (claims.typ !== expected.typ) throw new JwsRefused('typ')
  if (!Number.isSafeInteger(claims.iat) || !Number.isSafeInteger(claims.exp)) throw new JwsRefused('claims')
  const now = expected.now.getTime() / 1000
  if (claims.exp <= now) throw new JwsRefused('expired')
  if (claims.iat > now + CLOCK_SKEW_SECONDS) throw new JwsRefused('not_yet')
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url')
}

// Strict base64url: Node ignores what it does not know, which would let one token be written in many ways.
function decode(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw new JwsRefused('malformed')
  return bytes
}
