import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Plugin } from 'esbuild'

const APPLICATION = 'ui/app/app.tsx'
/** Parts that more than half of the pages use come with the application. */
const commonParts = [
  'control/segmented.tsx',
  'format/duration.ts',
  'format/money.ts',
  'state/empty-state.tsx',
  'state/problem-state.tsx',
  'status/status-badge.tsx',
  'table/data-table.tsx',
  'value/time.tsx',
]

/**
 * Joins what the first load needs into one file. The bundler makes a chunk for each set of entries that share code, which would be some
 * forty small files; a browser opens six connections. Each part that is loaded later imports the application, which is loaded already,
 * so that all of the application has one set.
 */
export function oneFirstChunk(root: string): Plugin {
  const application = join(root, APPLICATION)
  const added = new Map([[application, commonParts.map((path) => join(root, 'ui', 'parts', path))]])
  return {
    name: 'one-first-chunk',
    setup(build) {
      build.onResolve({ filter: /\.tsx?$/ }, async ({ kind, path, importer, namespace, resolveDir, pluginData }) => {
        // The second time is that of its own question.
        if (kind !== 'dynamic-import' || pluginData === added) return undefined
        const found = await build.resolve(path, { kind, importer, namespace, resolveDir, pluginData: added })
        if (found.errors.length === 0) added.set(found.path, [application])
        return found
      })
      build.onLoad({ filter: /\.tsx?$/ }, async ({ path }) => {
        const imports = added.get(path)?.map((one) => `import ${JSON.stringify(one)}\n`)
        if (imports === undefined) return undefined
        return { contents: `${await readFile(path, 'utf8')}\n${imports.join('')}`, loader: 'tsx' }
      })
    },
  }
}
