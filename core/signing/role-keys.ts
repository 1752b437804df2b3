import { createPublicKey } from 'node:crypto'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KeyName } from './keyring.ts'

/** The roles that sign, seal or verify something, and with what. A role that is not here needs no key. */
export const roleKeys = {
  // Grants of the runs that people start, cursors of lists, sealed answers of idempotent calls.
  bff: { own: ['cursor', 'grant', 'kek'], verifies: [] },
  // Grants of the runs that come in by its own API.
  gateway: { own: ['grant'], verifies: [] },
  // Grants of delegations; what a worker signed for a launcher; the public keys that launchers ask for.
  state: { own: ['grant'], verifies: ['attempt'] },
  // Which attempt at a run a launcher is asked for. Runs are granted by others: a worker cannot make one up.
  worker: { own: ['attempt'], verifies: [] },
} as const satisfies Record<string, { own: readonly KeyName[]; verifies: readonly KeyName[] }>

/** A role with keys of its own. */
export type RoleWithKeys = keyof typeof roleKeys

/** The roles with keys. */
export const rolesWithKeys: readonly RoleWithKeys[] = ['bff', 'gateway', 'state', 'worker']

/** The files of one role, by name, out of a folder with all keys: private ones of what it signs, public ones of what it verifies. */
export function roleKeyFiles(dir: string, role: RoleWithKeys): ReadonlyMap<string, string> {
  const own = new Set<string>(roleKeys[role].own)
  const verifies = new Set<string>(roleKeys[role].verifies)
  const files = new Map<string, string>()
  for (const file of readdirSync(dir).filter((name) => name.endsWith('.key'))) {
    const name = file.slice(0, file.indexOf('-'))
    const text = (): string => readFileSync(join(dir, file), 'utf8')
    if (own.has(name)) files.set(file, text())
    else if (verifies.has(name)) files.set(file.replace(/key$/, 'pub'), toPublic(text()))
  }
  return files
}

/** Writes the files of one role into another folder, 0600. */
export function writeRoleKeys(dir: string, role: RoleWithKeys, into: string): void {
  for (const [file, text] of roleKeyFiles(dir, role)) writeFileSync(join(into, file), text, { mode: 0o600 })
}

function toPublic(privatePem: string): string {
  return createPublicKey(privatePem).export({ type: 'spki', format: 'pem' }).toString()
}
