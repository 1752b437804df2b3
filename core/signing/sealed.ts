import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Keyring } from './keyring.ts'

/** Owner and use of a sealed value. It opens only with an equal binding, so that it cannot be moved to another row or use. */
export interface SealBinding {
  /** Use of the value, such as `refresh-token`. */
  readonly purpose: string
  /** Identity of the row that holds it, such as namespace uid, kind and name. It contains nothing that may change while the value stays. */
  readonly of: readonly string[]
}

/** Encryption of secrets at rest, with the key `kek` of the installation. */
export interface Sealed {
  /** Encrypts a string of at most 256 KiB to base64url. Two calls never return the same value. */
  seal(text: string, binding: SealBinding): string
  /** Decrypts a value. Throws `NotOpenable` if it was changed, belongs to another binding, or its key is gone. */
  open(sealed: string, binding: SealBinding): string
  /** Whether a value is sealed with the key that seals now. After a rotation others are sealed again at their next use. */
  isCurrent(sealed: string): boolean
}

/** A sealed value that cannot be opened. The message names no part of it. */
export class NotOpenable extends Error {
  readonly reason: 'malformed' | 'unknown_key' | 'not_authentic'
  constructor(reason: NotOpenable['reason']) {
    super(`the sealed value cannot be opened (${reason})`)
    this.name = 'NotOpenable'
    this.reason = reason
  }
}

// Version, length of the key id, key id, nonce, tag, ciphertext.
const VERSION = 1
const NONCE = 12
const TAG = 16
const MAX_BYTES = 262_144
// The four-byte lengths make the fields of the additional data unambiguous.
const domain = 'mesh sealed value'

/**
 * Creates the encryption of an owner, a plugin or core: AES-256-GCM, bound to version, key id, owner, purpose and row by its additional
 * data. Another plugin with the same key opens nothing of it.
 */
export function createSealed(keys: Keyring, owner: string): Sealed {
  return {
    seal: (text, binding) => {
      if (typeof text !== 'string' || !text.isWellFormed()) throw new TypeError('only well-formed text can be sealed')
      if (Buffer.byteLength(text) > MAX_BYTES) throw new RangeError(`at most ${MAX_BYTES} bytes can be sealed`)
      return sealBytes(keys, Buffer.from(text), { ...binding, owner }).toString('base64url')
    },
    open: (sealed, binding) => openBytes(keys, toBytes(sealed), { ...binding, owner }).toString(),
    isCurrent: (sealed) => parse(toBytes(sealed)).id === keys.current('kek').id,
  }
}

/** A binding with the owner of the value. */
interface OwnedBinding extends SealBinding {
  readonly owner: string
}

/** `seal` for bytes. */
export function sealBytes(keys: Keyring, plain: Buffer, binding: OwnedBinding): Buffer {
  const { id, key } = keys.current('kek')
  const nonce = randomBytes(NONCE)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(additionalData(id, binding))
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([
    Buffer.from([VERSION, Buffer.byteLength(id)]),
    Buffer.from(id),
    nonce,
    cipher.getAuthTag(),
    sealed,
  ])
}

/** `open` for bytes. */
export function openBytes(keys: Keyring, sealed: Buffer, binding: OwnedBinding): Buffer {
  const { id, nonce, tag, text } = parse(sealed)
  const kek = keys.find('kek', id)
  if (kek === undefined) throw new NotOpenable('unknown_key')
  const decipher = createDecipheriv('aes-256-gcm', kek.key, nonce, { authTagLength: TAG }).setAAD(
    additionalData(id, binding),
  )
  decipher.setAuthTag(tag)
  try {
    return Buffer.concat([decipher.update(text), decipher.final()])
  } catch {
    throw new NotOpenable('not_authentic')
  }
}

// Buffer ignores characters outside the alphabet; such a string was not sealed here.
function toBytes(sealed: string): Buffer {
  if (typeof sealed !== 'string' || sealed.length > 2 * MAX_BYTES) throw new NotOpenable('malformed')
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.toString('base64url') !== sealed) throw new NotOpenable('malformed')
  return bytes
}

function parse(sealed: Buffer) {
  const [version, length = 0] = sealed
  const start = 2 + length
  if (version !== VERSION || length === 0 || sealed.length < start + NONCE + TAG) throw new NotOpenable('malformed')
  return {
    id: sealed.toString('latin1', 2, start),
    nonce: sealed.subarray(start, start + NONCE),
    tag: sealed.subarray(start + NONCE, start + NONCE + TAG),
    text: sealed.subarray(start + NONCE + TAG),
  }
}

function additionalData(id: string, { owner, purpose, of }: OwnedBinding): Buffer {
  if (typeof purpose !== 'string' || purpose === '' || !Array.isArray(of) || of.length === 0)
    throw new TypeError('a sealed value needs a purpose and what it belongs to')
  const fields = [domain, String(VERSION), id, owner, purpose, ...(of as readonly string[])].map((field) => {
    if (typeof field !== 'string' || !field.isWellFormed())
      throw new TypeError('a binding consists of well-formed texts')
    return Buffer.from(field)
  })
  return Buffer.concat(
    fields.flatMap((field) => {
      const length = Buffer.alloc(4)
      length.writeUInt32BE(field.length)
      return [length, field]
    }),
  )
}
