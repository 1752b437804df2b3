// Finds the bundled program of exactly these sources. Plain JavaScript, since a start from the bundle strips no types.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { keyOfSources } from './source-key.mjs'

// Sources of the bundle, and the scripts that build it.
const sources = [
  'core',
  'plugins',
  'launcher',
  'cli',
  'ui',
  'local',
  'schemas',
  'deploy',
  'scripts/images',
  'scripts/meshctl',
  'scripts/console',
  'scripts/program',
  'test/flows/platform',
  'main.ts',
  'plugin.ts',
  'package-lock.json',
]

/** Folder of all bundles of a clone; each is named after a fingerprint of its sources. */
export const programsFolder = (root) => join(root, 'node_modules', '.cache', 'mesh', 'programs')

/** Folder of the bundle of the current sources, whether or not it exists. Reads names, sizes and modification times: 40 ms. */
export function programFolder(root) {
  return join(programsFolder(root), keyOfSources(root, sources))
}

/** As `programFolder`; undefined if there is no such bundle. */
export function findProgram(root) {
  const folder = programFolder(root)
  return existsSync(folder) ? folder : undefined
}
