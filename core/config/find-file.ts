import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { SettingsError } from './settings-error.ts'

/** Read from the working folder when `MESH_CONFIG` names no other file. */
export const settingsFileName = 'mesh.yaml'
// A file under this name has no effect, and its author would not notice.
const mistaken = 'mesh.yml'

/** Path of the settings file: `MESH_CONFIG`, else `mesh.yaml` of the working folder, else undefined. */
export function findSettingsFile(
  env: Readonly<Record<string, string | undefined>>,
  folder: string = process.cwd(),
): string | undefined {
  const named = env['MESH_CONFIG'] ?? ''
  if (named !== '') return named
  const file = join(folder, settingsFileName)
  if (exists(file)) return file
  if (exists(join(folder, mistaken)))
    throw new SettingsError(
      `${join(folder, mistaken)} is not read: rename it to ${settingsFileName}, or set MESH_CONFIG=${mistaken}`,
    )
  return undefined
}

// A link to a missing file exists here, so that reading it fails instead of doing nothing.
function exists(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined
}
