import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Creates a folder under the system's temporary folder, and a function that removes it; remaining ones are removed at exit. */
export function tempFolder(label: string): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), `mesh-test-${label}-`))
  const remove = (): void => {
    process.off('exit', remove)
    // A server that was just killed may still close files, so the removal is retried.
    rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
  process.on('exit', remove)
  return { path, remove }
}
