import { createKeyring } from '../create-keyring.ts'
import type { Keyring, KeyTypes } from '../keyring.ts'

/** Types of the keys that core and the plugins agents and runs declare. */
export const keyTypes: KeyTypes = new Map([
  ['cursor', 'secret'],
  ['grant', 'ed25519'],
  ['attempt', 'ed25519'],
  ['account', 'ed25519'],
  ['launcher', 'ed25519'],
  ['kek', 'secret'],
])

/** A keyring with these keys in memory. */
export function memoryKeyring(): Keyring {
  return createKeyring({ generate: keyTypes })
}
