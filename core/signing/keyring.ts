import type { KeyObject } from 'node:crypto'

/** The named keys of an install. `grant` and `attempt` are Ed25519 (JWS); `cursor` is HMAC-SHA-256; `kek` is AES-256-GCM. */
export type KeyName = 'cursor' | 'grant' | 'attempt' | 'envelope' | 'kek'

/** One key and its id. */
export interface SigningKey {
  readonly id: string
  readonly key: KeyObject
}

/** Keys by name: one signs, the next one is already published, earlier ones verify. Read from `MESH_KEYS_DIR`, 0600. */
export interface Keyring {
  /** Returns the signing key; callers must not keep it, since a rotation changes it. Throws if the role has no such key. */
  current(name: KeyName): SigningKey
  find(name: KeyName, id: string): SigningKey | undefined
  /** Public Ed25519 keys as an RFC 7517 key set. */
  jwks(names: readonly KeyName[]): { readonly keys: readonly JsonWebKeyEd25519[] }
}

/** A public Ed25519 key (RFC 8037). */
export interface JsonWebKeyEd25519 {
  readonly kty: 'OKP'
  readonly crv: 'Ed25519'
  readonly x: string
  readonly kid: string
  readonly use: 'sig'
  readonly alg: 'EdDSA'
}
