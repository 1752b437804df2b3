import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { SettingsError } from './settings-error.ts'

/** Read from the working directory unless `MESH_CONFIG` names another file. */
export const settingsFileName = 'mesh.yaml'
// A common misspelling, which would otherwise be ignored without a message.
const mistaken = 'mesh.yml'

/** Path of the settings file: `MESH_CONFIG`, else `mesh.yaml` in the working directory, else undefined. */
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

// A dangling link counts as existing, so that reading it fails instead of being skipped.
function exists(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined
}
