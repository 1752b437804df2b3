import type { KeyObject } from 'node:crypto'

/** Name of a key, such as `grant`; of a third party's plugin `<plugin>.<name>`. */
export type KeyName = string

/** Ed25519 pairs sign (JWS). A secret is 32 bytes, for HMAC-SHA-256 or AES-256-GCM. */
export type KeyType = 'ed25519' | 'secret'

/** Types of keys by name. */
export type KeyTypes = ReadonlyMap<KeyName, KeyType>

/** Keys of a role. */
export interface RoleKeys {
  /** Ed25519 pairs that the role signs with. */
  readonly signs?: readonly KeyName[]
  /** Secrets of 32 bytes; every role that lists one holds the same. */
  readonly seals?: readonly KeyName[]
  /** Pairs of which the role holds the public keys only. */
  readonly verifies?: readonly KeyName[]
}

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
