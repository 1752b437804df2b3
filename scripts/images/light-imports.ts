import { join } from 'node:path'
import type { Plugin } from 'esbuild'

const undici = { path: join(import.meta.dirname, 'undici.mjs') }

// HTTP/2 in undici, which every dispatcher disables (`allowH2`).
const unused = /\/client-h2\.js$/

// Its ES modules call a `require` that is created at run time, which a bundler cannot follow.
const hiddenRequire = /^@opentelemetry\/otlp-grpc-exporter-base$/

// Its entry re-exports clients of every API group; it declares no module free of side effects, and none has any.
const client = '@kubernetes/client-node'

/**
 * Excludes code that costs startup time from a bundle. `import ... from 'node:http'` evaluates every export, among them the WebSocket of
 * Node's own fetch: 35 ms and 14 MB for a server that uses neither. A destructured `require` avoids that. undici: see undici.mjs.
 */
export const lightImports: Plugin = {
  name: 'light-imports',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /^node:http$/ }, ({ path }) => ({ path, namespace: 'builtin' }))
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`,
    }))
    // Other packages import it differently; the only one with this import is loaded late.
    onResolve({ filter: /^undici$/ }, ({ importer }) => (importer.includes('node_modules') ? undefined : undici))
    onResolve({ filter: hiddenRequire }, ({ path, resolveDir, kind }) =>
      kind === 'require-call' ? undefined : resolve(path, { resolveDir, kind: 'require-call' }),
    )
    onResolve({ filter: /./ }, async ({ path, importer, resolveDir, kind, pluginData }) => {
      if (pluginData === client || !(path === client || importer.includes(`/${client}/`))) return undefined
      const found = await resolve(path, { importer, resolveDir, kind, pluginData: client })
      return found.path.includes(`/${client}/`) ? { path: found.path, sideEffects: false } : undefined
    })
    onResolve({ filter: unused }, ({ path }) => ({ path, namespace: 'unused' }))
    onLoad({ filter: /.*/, namespace: 'unused' }, ({ path }) => ({
      contents: `module.exports = () => { throw new Error(${JSON.stringify(`${path} is not in this bundle`)}) }`,
    }))
  },
}
