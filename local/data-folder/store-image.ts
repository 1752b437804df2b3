import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/**
 * Path of the initialised store that every first start copies: in the user's cache, since an installation may belong to another user.
 * Its name has PGlite's version, which defines the format. Undefined without a home directory: a new store takes 2 s more.
 */
export function imageOf(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const given = env['XDG_CACHE_HOME'] ?? ''
  // A relative path is ignored (XDG Base Directory Specification).
  const cache = isAbsolute(given) ? given : homeCache()
  const manifest = findPackageJSON('@electric-sql/pglite', import.meta.url)
  if (cache === undefined || manifest === undefined) return undefined
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
  return join(cache, 'mesh', `pglite-${version}`)
}

function homeCache(): string | undefined {
  try {
    return join(homedir(), '.cache')
  } catch {
    return undefined
  }
}
