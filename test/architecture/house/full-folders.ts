import { dirname } from 'node:path/posix'
import { isTest } from '../sources.ts'
import type { Source } from '../sources.ts'

/** Maximum number of files of a folder, without tests. */
export const MAX_FILES = 16
/** Maximum number of files directly in the folder of a plugin: what is no slot belongs in a room. */
export const MAX_FILES_OF_ROOT = 12

// One file per kind, group of routes, migration or generated document: more of them are no disorder.
const lists = /^(?:schemas\/(?:api|crds)|scripts\/generators|.*\/migrations)$/
const rooms = /^(?:core|plugins|launcher|schemas|local|cli|ui|scripts)\//

/** Lists folders with too many files, as `folder: count`. */
export function fullFolders(sources: readonly Source[]): string[] {
  const product = sources.filter(({ path }) => rooms.test(path) && !isTest(path))
  const counts = Map.groupBy(product, ({ path }) => dirname(path))
  return [...counts]
    .filter(([folder, files]) => !lists.test(folder) && files.length > mostFilesOf(folder))
    .map(([folder, files]) => `${folder}: ${files.length}`)
    .toSorted()
}

function mostFilesOf(folder: string): number {
  return /^plugins\/[^/]+$/.test(folder) ? MAX_FILES_OF_ROOT : MAX_FILES
}
