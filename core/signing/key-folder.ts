import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseKeyFile } from './key-files.ts'
import type { KeyPlan } from './rotation.ts'

/** The private keys of a folder: text by file name. */
export function readKeyFolder(dir: string): ReadonlyMap<string, string> {
  const files = readdirSync(dir).filter((file) => file.endsWith('.key') && parseKeyFile(file) !== undefined)
  return new Map(files.map((file) => [file, readFileSync(join(dir, file), 'utf8')]))
}

/** Writes new keys, 0600, then removes old ones: a process that reads in between finds more keys, never fewer. */
export function changeKeyFolder(dir: string, { add, remove }: KeyPlan): void {
  for (const [file, text] of add) writeFileSync(join(dir, file), text, { mode: 0o600, flag: 'wx' })
  for (const file of remove) rmSync(join(dir, file), { force: true })
}
