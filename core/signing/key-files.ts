import { createPublicKey, createSecretKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { KeyName, KeyType } from './keyring.ts'

/** A key file: `<name>-<id>.key` with the private key, or `.pub` for a role that only verifies. */
export interface KeyFile {
  readonly file: string
  readonly name: KeyName
  /** Ascends with the time of creation. */
  readonly id: string
}

/** Parses a file name. Returns undefined for other files, such as links and hidden folders of a Secret's volume. */
export function parseKeyFile(file: string): KeyFile | undefined {
  const [, name, id] = /^([a-z][a-z0-9]*(?:[.-][a-z0-9]+)*)-([0-9a-z]+)\.(?:key|pub)$/.exec(file) ?? []
  return name === undefined || id === undefined ? undefined : { file, name, id }
}

/** The keys of a name, oldest first. */
export function filesOf(files: readonly string[], name: KeyName): readonly KeyFile[] {
  return files
    .map(parseKeyFile)
    .filter((one) => one?.name === name)
    .filter((one) => one !== undefined)
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

/** Generates a key. */
export function generateKey(type: KeyType): KeyObject {
  return type === 'ed25519' ? generateKeyPairSync('ed25519').privateKey : createSecretKey(randomBytes(32))
}

/** Generates a key; returns file name and content (PKCS 8 PEM, or base64). */
export function newKeyFile(name: KeyName, type: KeyType, now: Date): readonly [file: string, text: string] {
  const key = generateKey(type)
  const text =
    key.type === 'secret' ? `${key.export().toString('base64')}\n` : key.export({ type: 'pkcs8', format: 'pem' })
  return [`${name}-${newKeyId(now)}.key`, text]
}

/** Creates a key id: begins with the time, so that ids sort, and ends with random digits. */
export function newKeyId(now: Date): string {
  return `${now.getTime().toString(36).padStart(9, '0')}${randomBytes(4).toString('hex')}`
}

/** Creation time of a key in milliseconds since the epoch. */
export function createdAt({ id }: KeyFile): number {
  return Number.parseInt(id.slice(0, 9), 36)
}

/** Public key of a private key, in PEM. */
export function toPublicPem(privatePem: string): string {
  return createPublicKey(privatePem).export({ type: 'spki', format: 'pem' })
}
