import { realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, relative } from 'node:path'

/** A file of a folder. */
export interface FolderFile {
  /** Without symbolic links. */
  readonly path: string
  readonly size: number
  readonly modifiedMs: number
}

/** A symbolic link leads out of the folder. */
export class OutsideFolder extends Error {
  override readonly name = 'OutsideFolder'
}

// The file is not there, or this system has no such name.
const missing = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'EACCES', 'ELOOP', 'EINVAL', 'ERR_INVALID_ARG_VALUE'])

/** Finds a regular file below a folder without symbolic links in its own path. Throws `OutsideFolder`. */
export async function findFile(root: string, names: readonly string[]): Promise<FolderFile | undefined> {
  try {
    const path = await realpath(join(root, ...names))
    const below = relative(root, path)
    if (below.split(/[/\\]/, 1)[0] === '..' || isAbsolute(below)) throw new OutsideFolder('leads out of the folder')
    const found = await stat(path)
    return found.isFile() ? { path, size: found.size, modifiedMs: found.mtimeMs } : undefined
  } catch (error) {
    if (missing.has((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}
