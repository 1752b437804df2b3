const reasons: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'there is no such file'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EISDIR', 'it is a folder'],
  ['EEXIST', 'it already exists'],
  ['ENOTDIR', 'a part of its path is a file, not a folder'],
  ['ELOOP', 'its symbolic links form a loop'],
  ['ENAMETOOLONG', 'its path is too long'],
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'no space left on device'],
  ['ERR_INVALID_ARG_VALUE', 'its path has an invalid character'],
  ['EDQUOT', 'the disk quota is used up'],
])

/**
 * Returns why a file or folder could not be used, such as `permission denied`, for a message that names its path. The text never quotes the
 * file.
 */
export function fileProblem(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return reasons.get(code) ?? (code === undefined ? 'unexpected error' : String(code))
}

/** Whether the error means that the disk or the user's quota is full. */
export function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
}
