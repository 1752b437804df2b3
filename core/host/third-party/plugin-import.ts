import { existsSync } from 'node:fs'
import { registerHooks } from 'node:module'

const specifier = '@mesh.dev/mesh/plugin'

let entry: string | undefined

/** The URL of what third parties import: a file of this program, so that both share its classes. */
export function pluginEntryUrl(): string {
  return (entry ??= findEntry())
}

// Beside the program of a bundle, otherwise a source.
function findEntry(): string {
  const bundled = new URL('../../../plugin.js', import.meta.url)
  return (existsSync(bundled) ? bundled : new URL('../../../plugin.ts', import.meta.url)).href
}

let isServed = false

/**
 * Makes `@mesh.dev/mesh/plugin` this program for every module, wherever it is installed: Node's loader would look for a package beside the
 * importing file, and find none or another version.
 */
export function servePluginImport(): void {
  if (isServed) return
  isServed = true
  registerHooks({
    resolve: (wanted, context, next) =>
      wanted === specifier ? { url: pluginEntryUrl(), shortCircuit: true } : next(wanted, context),
  })
}
