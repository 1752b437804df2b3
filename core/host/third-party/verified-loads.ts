import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CoveredFiles } from './package-files.ts'
import { pluginEntryUrl } from './plugin-import.ts'

/**
 * Makes Node's loader verify what a plugin loads, now and later. Its modules import only covered files, modules of Node and the entry of
 * the platform. A covered file is loaded only with the bytes that were hashed. Returns a function that ends it, for a plugin that is refused.
 */
export function verifyLoads(title: string, covered: CoveredFiles): () => void {
  const refuse = (what: string): never => {
    throw new Error(`${title} imports ${what}, which its integrity does not cover: bundle it into the plugin's files`)
  }
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context)
      const isOpen = resolved.url.startsWith('node:') || resolved.url === pluginEntryUrl()
      if (isOpen || !isOwn(covered, context.parentURL)) return resolved
      return covered.hashes.has(pathOf(resolved.url) ?? '') ? resolved : refuse(specifier.slice(0, 200))
    },
    load(url, context, next) {
      const loaded = next(url, context)
      const path = pathOf(url)
      if (path === undefined || !isOwn(covered, url)) return loaded
      const wanted = covered.hashes.get(path)
      if (wanted === undefined) return refuse(path)
      if (hashOf(loaded.source ?? readFileSync(path)) !== wanted)
        throw new Error(`${title}: ${path} has changed since its integrity was checked`)
      return loaded
    },
  })
  return () => hooks.deregister()
}

/** Whether the integrity covers this file or folder: it is below the package's folder, or the only file. */
export function isCovered({ root, hashes }: CoveredFiles, path: string): boolean {
  return hashes.has(path) || [...hashes.keys()].some((file) => file !== root && file.startsWith(path + sep))
}

// Modules below `node_modules` of the package are not its own: no module of it can import them.
function isOwn({ root }: CoveredFiles, url: string | undefined): boolean {
  const path = url === undefined ? undefined : pathOf(url)
  if (path === undefined) return false
  return path === root || (path.startsWith(root + sep) && !path.startsWith(`${root}${sep}node_modules${sep}`))
}

function pathOf(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined
  try {
    return fileURLToPath(url)
  } catch {
    return undefined
  }
}

function hashOf(source: string | ArrayBuffer | NodeJS.TypedArray): string {
  const bytes = source instanceof ArrayBuffer ? new Uint8Array(source) : source
  return createHash('sha256').update(bytes).digest('hex')
}
