import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import type { Role } from '#core/config/profile.ts'
import { readKeyFolder } from '#core/signing/key-folder.ts'
import { declareKeys } from '#core/host/load/plugin-keys.ts'
import { roleKeyFiles } from '#core/signing/role-keys.ts'
import { plugins } from '#plugins/index.ts'

/**
 * Makes a folder look like the volume of the Secret `mesh-keys-<role>`: links to `..data/<file>`, where `..data` is a link that is replaced
 * atomically, as by the kubelet. A role without keys gets an empty folder.
 */
export function mountKeys(keysDir: string, role: Role, mount: string): void {
  mkdirSync(mount, { recursive: true })
  const held = role === 'migrate' ? undefined : declareKeys(plugins, new Set()).byRole.get(role)
  if (held === undefined) return
  const files = roleKeyFiles(readKeyFolder(keysDir), held)
  const version = mkdtempSync(join(mount, '..version-'))
  for (const [file, text] of files) writeFileSync(join(version, file), text, { mode: 0o440 })
  const data = join(mount, '..data')
  const replaced = readdirSync(mount).includes('..data') ? readlinkSync(data) : undefined
  symlinkSync(basename(version), join(mount, '..data_tmp'))
  renameSync(join(mount, '..data_tmp'), data)
  const listed = new Set(readdirSync(mount))
  for (const file of files.keys()) if (!listed.has(file)) symlinkSync(join('..data', file), join(mount, file))
  for (const file of listed) if (!file.startsWith('..') && !files.has(file)) rmSync(join(mount, file))
  if (replaced !== undefined) rmSync(join(mount, replaced), { recursive: true })
}
