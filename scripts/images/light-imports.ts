import { join } from 'node:path'
import type { Plugin } from 'esbuild'

const undici = { path: join(import.meta.dirname, 'undici.mjs') }

// HTTP/2 in undici, which every dispatcher switches off (`allowH2`).
const unused = /\/client-h2\.js$/

/**
 * Leaves out of a bundle what costs a start more than it gives. `import ... from 'node:http'` in a module reads every export of it, among them
 * the WebSocket of Node's own fetch: 35 ms and 14 MB for a server that has neither; asked for by name it comes without. undici: see undici.mjs.
 */
export const lightImports: Plugin = {
  name: 'light-imports',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:http$/ }, ({ path }) => ({ path, namespace: 'builtin' }))
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`,
    }))
    // Packages have their own uses of it; the one that has is loaded late.
    onResolve({ filter: /^undici$/ }, ({ importer }) => (importer.includes('node_modules') ? undefined : undici))
    onResolve({ filter: unused }, ({ path }) => ({ path, namespace: 'unused' }))
    onLoad({ filter: /.*/, namespace: 'unused' }, ({ path }) => ({
      contents: `module.exports = () => { throw new Error(${JSON.stringify(`${path} is not in this bundle`)}) }`,
    }))
  },
}
