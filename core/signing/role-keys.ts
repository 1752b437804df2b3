import { rmSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseKeyFile, toPublicPem } from './key-files.ts'
import { readKeyFolder } from './key-folder.ts'
import type { KeyName } from './keyring.ts'

/** Keys of each role: those that it signs or seals with, and those that it only verifies. Other roles need no key. */
const roleKeys = {
  // Grants of runs started by callers, cursors of lists, sealed responses of idempotent calls.
  bff: { own: ['cursor', 'grant', 'kek'], verifies: [] },
  // Grants of runs started by its API.
  gateway: { own: ['grant'], verifies: [] },
  // Grants of delegations, attempt tokens of workers, and the key set for launchers.
  state: { own: ['grant'], verifies: ['attempt'] },
  // Attempt tokens. Grants are signed by other roles: a worker cannot create one.
  worker: { own: ['attempt'], verifies: [] },
} as const satisfies Record<string, { own: readonly KeyName[]; verifies: readonly KeyName[] }>

/** A role with keys. */
export type RoleWithKeys = keyof typeof roleKeys

/** The keys that some role has; others belong to no Secret. */
export const namesOfRoles: readonly KeyName[] = [
  ...new Set(Object.values(roleKeys).flatMap(({ own, verifies }) => [...own, ...verifies])),
]

/** The roles with keys. */
export const rolesWithKeys: readonly RoleWithKeys[] = ['bff', 'gateway', 'state', 'worker']

/** The files of one role out of all private keys, text by file name: private ones of what it signs, public ones of what it verifies. */
export function roleKeyFiles(all: ReadonlyMap<string, string>, role: RoleWithKeys): ReadonlyMap<string, string> {
  const own = new Set<string>(roleKeys[role].own)
  const verifies = new Set<string>(roleKeys[role].verifies)
  const files = new Map<string, string>()
  for (const [file, text] of all) {
    const name = parseKeyFile(file)?.name ?? ''
    if (own.has(name)) files.set(file, text)
    else if (verifies.has(name)) files.set(file.replace(/key$/, 'pub'), toPublicPem(text))
  }
  return files
}

/** Makes another folder hold the files of one role, 0600, and no other keys. */
export function writeRoleKeys(dir: string, role: RoleWithKeys, into: string): void {
  const files = roleKeyFiles(readKeyFolder(dir), role)
  for (const [file, text] of files) writeFileSync(join(into, file), text, { mode: 0o600 })
  for (const file of readdirSync(into)) if (!files.has(file)) rmSync(join(into, file), { recursive: true })
}
