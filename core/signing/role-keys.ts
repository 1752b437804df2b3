import { createPublicKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { parseKeyFile, toPublicPem } from './key-files.ts'
import type { Keyring, KeyName, RoleKeys, SigningKey } from './keyring.ts'

/** Selects the files of one role from all private keys, as text by file name: private keys that it holds, and public keys that it verifies with. */
export function roleKeyFiles(all: ReadonlyMap<string, string>, keys: RoleKeys): ReadonlyMap<string, string> {
  const { own, verified } = setsOf(keys)
  const files = new Map<string, string>()
  for (const [file, text] of all) {
    const name = parseKeyFile(file)?.name ?? ''
    if (own.has(name)) files.set(file, text)
    else if (verified.has(name)) files.set(file.replace(/key$/, 'pub'), toPublicPem(text))
  }
  return files
}

/**
 * A keyring of these keys only, as a process with the files of one role has them. The use of another key throws the error of `refuse`, so
 * that roles in one process fail as they would in processes of their own.
 */
export function limitKeyring(all: Keyring, keys: RoleKeys, refuse: (name: KeyName) => Error): Keyring {
  const { own, verified } = setsOf(keys)
  const check = (isHeld: boolean, name: KeyName): void => {
    if (!isHeld) throw refuse(name)
  }
  return {
    current: (name) => {
      check(own.has(name), name)
      return all.current(name)
    },
    find: (name, id) => {
      check(own.has(name) || verified.has(name), name)
      const found = all.find(name, id)
      return found === undefined || own.has(name) ? found : withoutPrivate(found)
    },
    jwks: (names) => {
      for (const name of names) check(own.has(name) || verified.has(name), name)
      return all.jwks(names)
    },
  }
}

function setsOf({ signs = [], seals = [], verifies = [] }: RoleKeys) {
  return { own: new Set([...signs, ...seals]), verified: new Set(verifies) }
}

const publicKeys = new WeakMap<KeyObject, KeyObject>()

function withoutPrivate({ id, key }: SigningKey): SigningKey {
  if (key.type !== 'private') return { id, key }
  const known = publicKeys.get(key) ?? createPublicKey(key)
  publicKeys.set(key, known)
  return { id, key: known }
}
