const reasons: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'there is no such file'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EISDIR', 'it is a folder'],
  ['EEXIST', 'it exists already'],
  ['ENOTDIR', 'a part of its path is a file, not a folder'],
  ['ELOOP', 'its symbolic links form a loop'],
  ['ENAMETOOLONG', 'its path is too long'],
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'no space left on device'],
  ['ERR_INVALID_ARG_VALUE', 'its path has a character that no path may have'],
  ['EDQUOT', 'the disk quota is used up'],
])

/** Why a file or folder could not be used, for a message that names its path: `permission denied`. Never a text of the file. */
export function fileProblem(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return reasons.get(code) ?? (code === undefined ? 'unexpected error' : String(code))
}

/** Whether an error says that the disk, or the user's part of it, is full. */
export function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
}
