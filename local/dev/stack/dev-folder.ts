import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The data of a session. */
export interface DevFolder {
  readonly path: string
  remove(): void
}

/** The folder of `--data`, which stays, or a temporary one of this user, which is also removed if the process exits early. */
export function openDevFolder(given: string | undefined): DevFolder {
  if (given !== undefined) return { path: given, remove: () => undefined }
  const path = mkdtempSync(join(tmpdir(), 'mesh-dev-'))
  const erase = (): void => rmSync(path, { recursive: true, force: true, maxRetries: 3 })
  process.once('exit', erase)
  return {
    path,
    remove: () => {
      process.removeListener('exit', erase)
      erase()
    },
  }
}
