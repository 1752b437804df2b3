import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Keyring, SigningKey } from './keyring.ts'

/** HMAC-SHA-256 with the current `cursor` key: the key's id and the MAC, base64url, joined by a dot. */
export function signBytes(keys: Keyring, bytes: string | Uint8Array): string {
  const key = keys.current('cursor')
  return `${key.id}.${mac(key, bytes).toString('base64url')}`
}

/** Whether a signature of `signBytes` fits, under the current or the previous key; constant time. */
export function verifyBytes(keys: Keyring, bytes: string | Uint8Array, signature: string): boolean {
  const [id, given, ...rest] = signature.split('.')
  if (id === undefined || given === undefined || rest.length > 0) return false
  const key = keys.find('cursor', id)
  if (key === undefined) return false
  const expected = mac(key, bytes)
  const actual = Buffer.from(given, 'base64url')
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

function mac(key: SigningKey, bytes: string | Uint8Array): Buffer {
  return createHmac('sha256', key.key).update(bytes).digest()
}
