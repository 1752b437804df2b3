import { createHash, createPublicKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

/** A public Ed25519 key with its thumbprint as id. */
export interface ThumbprintedKey {
  readonly kid: string
  /** Public key, base64url (RFC 8037). */
  readonly x: string
}

/** Converts a public or private Ed25519 key; the id is the thumbprint of RFC 7638. Throws for another type of key. */
export function toThumbprinted(key: KeyObject): ThumbprintedKey {
  const { crv, kty, x } = (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'jwk' })
  if (kty !== 'OKP' || crv !== 'Ed25519' || x === undefined) throw new TypeError('the key is not an Ed25519 key')
  const kid = createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url')
  return { kid, x }
}

/** Imports a published key; undefined if it is unusable. */
export function fromThumbprinted({ x }: ThumbprintedKey): KeyObject | undefined {
  try {
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  } catch {
    return undefined
  }
}
