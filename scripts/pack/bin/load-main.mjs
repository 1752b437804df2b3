// Loads the `main` of a program. Plain JavaScript for Node.js 20 and newer.
import nodeModule from 'node:module'
import { fileURLToPath } from 'node:url'

const compiled = fileURLToPath(new URL('../node_modules/.cache/mesh/compiled', import.meta.url))

/** A single file of CommonJS is compiled once, and not at every start. A folder that cannot be written leaves it off. */
export async function loadMain(module) {
  if (!module.endsWith('.cjs')) return (await import(module)).main
  nodeModule.enableCompileCache?.(compiled)
  return nodeModule.createRequire(import.meta.url)(module).main
}
