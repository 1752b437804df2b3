import { accessSync, constants, readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Path of the store that every first start copies: the migrated one beside a bundled program (prepare-store.ts), else an initialised one. The
 * latter is in the user's cache, since an installation may belong to another user; its name contains PGlite's version, which defines the
 * format. Undefined without a home directory: a new store takes 2 s more.
 */
export function imageOf(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const beside = besideProgram()
  return isReadable(beside) ? beside : initialisedImage(env)
}

/** Path of the migrated store of a bundled program. A checkout has none, since any change of its sources may change a migration. */
export function besideProgram(): string {
  return fileURLToPath(new URL('../../migrated-store', import.meta.url))
}

function isReadable(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

function initialisedImage(env: Readonly<Record<string, string | undefined>>): string | undefined {
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
