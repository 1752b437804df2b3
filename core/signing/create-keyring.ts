import { createPrivateKey, createPublicKey, createSecretKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { conceal } from '#core/log/secrets.ts'
import type { JsonWebKeyEd25519, KeyName, Keyring, SigningKey } from './keyring.ts'

/** Where the keys are. Without `dir` they live in memory, for tests and `meshctl dev`. */
export interface KeyringOptions {
  readonly dir?: string
  /** Makes missing keys (the embedded default); otherwise a missing key fails when it is first used. */
  readonly generate?: boolean
  readonly now?: () => Date
}

/** All names, for generation. */
export const keyNames: readonly KeyName[] = ['cursor', 'grant', 'attempt', 'envelope', 'kek']

const pairs: ReadonlySet<KeyName> = new Set(['grant', 'attempt', 'envelope'])

/**
 * Reads `MESH_KEYS_DIR`: files `<name>-<id>.key` (PKCS 8 PEM of an Ed25519 key, or 32 bytes in base64 for cursor and kek) and
 * `<name>-<id>.pub` (SPKI PEM) where a role only verifies. Ids ascend: the last is current, the one before still verifies.
 */
export function createKeyring(options: KeyringOptions = {}): Keyring {
  const { dir } = options
  const keys = dir === undefined ? inMemory() : readFolder(dir, options)
  return {
    current: (name) => {
      const key = keys.get(name)?.findLast((one) => one.key.type !== 'public')
      if (key === undefined) throw new Error(`no key "${name}" in ${dir ?? 'memory'}`)
      return key
    },
    find: (name, id) => keys.get(name)?.find((one) => one.id === id),
    jwks: (names) => ({ keys: names.flatMap((name) => (keys.get(name) ?? []).flatMap(toJwk)) }),
  }
}

/** Makes a new current key; the one before stays valid, older ones are deleted. Processes read it at their next start. */
export function rotateKey(dir: string, name: KeyName, now: Date = new Date()): void {
  generateFile(dir, name, now)
  const files = filesOf(dir, name)
  for (const old of files.slice(0, -2)) rmSync(join(dir, old.file))
}

function inMemory(): Map<KeyName, SigningKey[]> {
  return new Map(keyNames.map((name) => [name, [{ id: newId(new Date()), key: generateKey(name) }]]))
}

function readFolder(dir: string, options: KeyringOptions): Map<KeyName, SigningKey[]> {
  if (options.generate === true) {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    for (const name of keyNames)
      if (filesOf(dir, name).length === 0) generateFile(dir, name, (options.now ?? (() => new Date()))())
  }
  return new Map(
    keyNames.map((name) => [
      name,
      filesOf(dir, name)
        .slice(-2)
        .map(({ file, id }) => readKey(dir, file, id)),
    ]),
  )
}

// A Secret's volume has links and hidden folders beside the files; only our own names count.
function filesOf(dir: string, name: KeyName): { file: string; id: string }[] {
  return readdirSync(dir)
    .flatMap((file) => {
      const match = /^([a-z]+)-([0-9a-z]+)\.(?:key|pub)$/.exec(file)
      return match !== null && match[1] === name ? [{ file, id: match[2] ?? '' }] : []
    })
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

function readKey(dir: string, file: string, id: string): SigningKey {
  const path = join(dir, file)
  if (file.endsWith('.pub')) return { id, key: createPublicKey(readFileSync(path)) }
  if ((statSync(path).mode & 0o007) !== 0)
    throw new Error(`${path}: a key must not be accessible to others (chmod 600)`)
  const text = readFileSync(path, 'utf8')
  for (const line of text.split('\n')) if (!line.startsWith('-----')) conceal(line.trim())
  const key = text.includes('-----BEGIN') ? createPrivateKey(text) : createSecretKey(Buffer.from(text.trim(), 'base64'))
  if (key.type === 'secret' ? key.symmetricKeySize !== 32 : key.asymmetricKeyType !== 'ed25519')
    throw new Error(`${path}: not an Ed25519 key in PKCS 8 PEM, nor 32 bytes in base64`)
  return { id, key }
}

function generateKey(name: KeyName): KeyObject {
  return pairs.has(name) ? generateKeyPairSync('ed25519').privateKey : createSecretKey(randomBytes(32))
}

function generateFile(dir: string, name: KeyName, now: Date): void {
  const key = generateKey(name)
  const text =
    key.type === 'secret' ? `${key.export().toString('base64')}\n` : key.export({ type: 'pkcs8', format: 'pem' })
  writeFileSync(join(dir, `${name}-${newId(now)}.key`), text, { mode: 0o600, flag: 'wx' })
}

// Time first, so that ids sort; the rest keeps two of one millisecond apart.
function newId(now: Date): string {
  return `${now.getTime().toString(36).padStart(9, '0')}${randomBytes(4).toString('hex')}`
}

function toJwk(signing: SigningKey): JsonWebKeyEd25519[] {
  if (signing.key.asymmetricKeyType !== 'ed25519') return []
  const { x } = (signing.key.type === 'private' ? createPublicKey(signing.key) : signing.key).export({ format: 'jwk' })
  return x === undefined ? [] : [{ kty: 'OKP', crv: 'Ed25519', x, kid: signing.id, use: 'sig', alg: 'EdDSA' }]
}
