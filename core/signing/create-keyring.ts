import { createPrivateKey, createPublicKey, createSecretKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { conceal } from '#core/log/secrets.ts'
import { changeKeyFolder } from './key-folder.ts'
import { filesOf, generateKey, newKeyId, parseKeyFile } from './key-files.ts'
import type { JsonWebKeyEd25519, KeyName, Keyring, KeyTypes, SigningKey } from './keyring.ts'
import { planInit } from './rotation.ts'

/** Options of `createKeyring`. Without `dir` the generated keys are in memory, for tests and `meshctl dev`. */
export interface KeyringOptions {
  readonly dir?: string
  /** Creates keys of these names that are missing (the embedded default); otherwise using a missing key fails. */
  readonly generate?: KeyTypes
  readonly now?: () => Date
  /** Called if a changed folder cannot be read; the previous keys stay in use. */
  readonly onError?: (error: unknown) => void
  /** Monotonic milliseconds; the folder is read again every ten seconds. */
  readonly clock?: () => number
}

type Keys = ReadonlyMap<KeyName, readonly SigningKey[]>

const REREAD_MS = 10_000
const REREAD_UNKNOWN_MS = 1_000

/**
 * Reads `MESH_KEYS_DIR`: files `<name>-<id>.key` (PKCS 8 PEM of an Ed25519 key, or 32 bytes in base64) and
 * `<name>-<id>.pub` (SPKI PEM) where a role only verifies. Ids ascend. The newest key is published and verifies; the one before it
 * signs; older ones verify. Changes of the folder are applied without a restart (ADR 0025).
 */
export function createKeyring(options: KeyringOptions = {}): Keyring {
  const { dir } = options
  const read = dir === undefined ? inMemory(options.generate ?? new Map()) : followFolder(dir, options)
  return {
    current: (name) => {
      const own = (read().get(name) ?? []).filter(({ key }) => key.type !== 'public')
      const key = own.at(-2) ?? own.at(-1)
      if (key === undefined) throw new Error(`no key "${name}" in ${dir ?? 'memory'}`)
      return key
    },
    find: (name, id) => {
      const known = (keys: Keys) => keys.get(name)?.find((one) => one.id === id)
      return known(read()) ?? known(read(REREAD_UNKNOWN_MS))
    },
    jwks: (names) => {
      const keys = read()
      return { keys: names.flatMap((name) => (keys.get(name) ?? []).flatMap(toJwk)) }
    },
  }
}

function inMemory(types: KeyTypes): () => Keys {
  const keys = new Map([...types].map(([name, type]) => [name, [{ id: newKeyId(new Date()), key: generateKey(type) }]]))
  return () => keys
}

// The kubelet replaces all files of a Secret at once, and file names change with their content: comparing names is sufficient.
function followFolder(dir: string, options: KeyringOptions): (olderThanMs?: number) => Keys {
  const { generate, now = () => new Date(), clock = () => performance.now() } = options
  if (generate !== undefined) {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    changeKeyFolder(dir, planInit(readdirSync(dir), generate, now()))
  }
  let files = readdirSync(dir)
  let keys = readFolder(dir, files)
  let readAt = clock()
  return (olderThanMs = REREAD_MS) => {
    if (clock() - readAt < olderThanMs) return keys
    readAt = clock()
    try {
      const found = readdirSync(dir)
      if (found.toSorted().join() !== files.toSorted().join()) [keys, files] = [readFolder(dir, found), found]
    } catch (error) {
      // Changed during the read, or temporarily unreadable: the next read retries.
      options.onError?.(error)
    }
    return keys
  }
}

function readFolder(dir: string, files: readonly string[]): Keys {
  const names = new Set(files.flatMap((file) => parseKeyFile(file)?.name ?? []))
  return new Map(
    [...names].map((name) => [name, filesOf(files, name).map(({ file, id }) => readKey(dir, file, id))] as const),
  )
}

function readKey(dir: string, file: string, id: string): SigningKey {
  const path = join(dir, file)
  if (file.endsWith('.pub')) return { id, key: parseKey(path, () => createPublicKey(readFileSync(path))) }
  if ((statSync(path).mode & 0o007) !== 0)
    throw new Error(`${path}: a key must not be accessible to others (chmod 600)`)
  const text = readFileSync(path, 'utf8')
  for (const line of text.split('\n')) if (!line.startsWith('-----')) conceal(line.trim())
  const key = parseKey(path, () =>
    text.includes('-----BEGIN') ? createPrivateKey(text) : createSecretKey(Buffer.from(text.trim(), 'base64')),
  )
  if (key.type === 'secret' && key.symmetricKeySize !== 32) throw malformed(path)
  return { id, key }
}

function parseKey(path: string, parse: () => KeyObject): KeyObject {
  let key: KeyObject
  try {
    key = parse()
  } catch (error) {
    // Errors of the file system are descriptive; those of OpenSSL are not.
    throw error instanceof Error && 'syscall' in error ? error : malformed(path)
  }
  if (key.type !== 'secret' && key.asymmetricKeyType !== 'ed25519') throw malformed(path)
  return key
}

function malformed(path: string): Error {
  return new Error(`${path}: not an Ed25519 key in PEM (PKCS 8, or SPKI in .pub), nor 32 bytes in base64`)
}

function toJwk(signing: SigningKey): JsonWebKeyEd25519[] {
  if (signing.key.asymmetricKeyType !== 'ed25519') return []
  const { x } = (signing.key.type === 'private' ? createPublicKey(signing.key) : signing.key).export({ format: 'jwk' })
  return x === undefined ? [] : [{ kty: 'OKP', crv: 'Ed25519', x, kid: signing.id, use: 'sig', alg: 'EdDSA' }]
}
