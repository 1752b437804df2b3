import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { build } from 'esbuild'
import type { BuildOptions, Plugin } from 'esbuild'

const shared: BuildOptions = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  minifySyntax: true,
  legalComments: 'none',
  logLevel: 'warning',
  // Packages in the older module format ask for `require` when they run.
  banner: {
    js: "import { createRequire as meshCreateRequire } from 'node:module'; const require = meshCreateRequire(import.meta.url);",
  },
}

/**
 * Bundles main.ts as JavaScript into a folder: `main.js`, shared chunks beside it, and each migration at its own path,
 * because migrations are found by listing their folder.
 */
export async function bundlePlatform(root: string, outdir: string): Promise<void> {
  const migrations = globSync(['plugins/*/migrations/*.ts', 'core/*/migrations/*.ts'], { cwd: root }).filter(
    (path) => !path.endsWith('.test.ts'),
  )
  await build({
    ...shared,
    absWorkingDir: root,
    entryPoints: ['main.ts', ...migrations],
    outbase: root,
    outdir,
    splitting: true,
    chunkNames: '[name]-[hash]',
    // The embedded default's parts: no role of a cluster loads them. pg asks for its native half and does without.
    external: ['@electric-sql/pglite', '@electric-sql/pglite/*', 'pg-native', '#local/*', './local/*'],
    plugins: [ownAddress(root)],
  })
  writeFileSync(join(outdir, 'package.json'), '{ "type": "module" }\n')
}

/** Bundles the launcher as one file: start-up time and memory count there. */
export async function bundleLauncher(root: string, outfile: string): Promise<void> {
  await build({ ...shared, absWorkingDir: root, entryPoints: ['launcher/main.ts'], outfile, minifyWhitespace: true })
}

// A module that finds files beside itself (migrations) must keep its own address, not the bundle's: all chunks lie in the root.
function ownAddress(root: string): Plugin {
  return {
    name: 'own-address',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, 'utf8')
        if (path.includes('node_modules') || !text.includes('import.meta.url')) return undefined
        const own = `new URL(${JSON.stringify(`./${relative(root, path)}`)}, import.meta.url).href`
        return { contents: text.replaceAll('import.meta.url', own), loader: 'ts' }
      })
    },
  }
}
