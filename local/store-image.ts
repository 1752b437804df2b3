import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/**
 * Where the initialised store lies that every first start copies: in the user's cache, since an installation may be another user's.
 * Named by PGlite's version, whose format it has. Undefined where a user has no home: then a store is made from nothing, 2 s slower.
 */
export function imageOf(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const given = env['XDG_CACHE_HOME'] ?? ''
  // A relative one is to be ignored (XDG Base Directory Specification).
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
