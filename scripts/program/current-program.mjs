// Finds the bundled program of exactly these sources. Plain JavaScript, since a start from the bundle strips no types.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'

// Sources of the bundle, and the scripts that build it.
const folders = [
  'core',
  'plugins',
  'launcher',
  'cli',
  'ui',
  'local',
  'schemas',
  'deploy',
  'scripts/images',
  'scripts/console',
  'scripts/program',
  'test/flows/platform',
]
const files = ['main.ts', 'plugin.ts', 'package-lock.json']

/** Folder of all bundles of a clone; each is named after a fingerprint of its sources. */
export const programsFolder = (root) => join(root, 'node_modules', '.cache', 'mesh', 'programs')

/** Folder of the bundle of the current sources, whether or not it exists. Reads names, sizes and modification times: 40 ms. */
export function programFolder(root) {
  return join(programsFolder(root), keyOf(root))
}

/** As `programFolder`; undefined if there is no such bundle. */
export function findProgram(root) {
  const folder = programFolder(root)
  return existsSync(folder) ? folder : undefined
}

function keyOf(root) {
  const hash = createHash('sha256')
  for (const path of sourcesOf(root)) {
    const { size, mtimeMs } = statSync(join(root, path))
    hash.update(`${path} ${size} ${mtimeMs}\n`)
  }
  return hash.digest('hex').slice(0, 16)
}

function sourcesOf(root) {
  // A copy of the sources without tests must also start.
  const exists = (path) => existsSync(join(root, path))
  const found = folders.filter(exists).flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
      .map(({ parentPath, name }) => relative(root, join(parentPath, name)))
      .filter((path) => !/(?:^|\/)(?:node_modules|testdata)\//.test(path)),
  )
  return [...files.filter(exists), ...found].toSorted()
}
