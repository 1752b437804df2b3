import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { tempFolder } from '#test/harness/temp-folder.ts'

const version = '12.3.0'
const integrity = '4113TdXeLAsMruJ79OpFL5O8+LTFXhQqZ260rF3tgUmiNAtRm4Uume04I+65PRN6yZ69J4f8rVYWW8zRk65UYw=='

/**
 * Path of mermaid's browser script in the user's cache. The first use downloads the package (26 MB) without its dependencies, which the
 * script contains; as a dev dependency it would add 100 packages.
 */
export function mermaidScript(): string {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'mesh')
  const file = join(cache, `mermaid-${version}.js`)
  if (!existsSync(file)) download(cache, file)
  return readFileSync(file, 'utf8')
}

function download(cache: string, file: string): void {
  const folder = tempFolder('mermaid')
  try {
    const cwd = folder.path
    execFileSync('npm', ['pack', `mermaid@${version}`, '--silent'], { cwd, timeout: 300_000, stdio: 'ignore' })
    const archive = `mermaid-${version}.tgz`
    const found = createHash('sha512')
      .update(readFileSync(join(cwd, archive)))
      .digest('base64')
    if (found !== integrity) throw new Error(`mermaid@${version} has another hash: ${found}`)
    mkdirSync(cache, { recursive: true })
    // Written to the cache's file system and then renamed, so that a concurrent test never reads a partial file.
    execFileSync(
      'tar',
      ['-xzf', archive, '-C', cache, '--transform', `s|.*|.mermaid-${process.pid}|`, 'package/dist/mermaid.min.js'],
      { cwd },
    )
    renameSync(join(cache, `.mermaid-${process.pid}`), file)
  } finally {
    folder.remove()
  }
}
