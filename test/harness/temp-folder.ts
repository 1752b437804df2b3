import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A new folder under the system's temporary folder, and a function that removes it; leftovers go when the process exits. */
export function tempFolder(label: string): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), `mesh-test-${label}-`))
  const remove = (): void => {
    process.off('exit', remove)
    // A server that was just killed may still close files: a few retries instead of a wait.
    rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
  process.on('exit', remove)
  return { path, remove }
}
