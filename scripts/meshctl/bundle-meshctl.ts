import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Metafile, Plugin } from 'esbuild'
import { lightImports } from '../images/light-imports.ts'

/**
 * Bundles meshctl as one file. CommonJS: its modules are evaluated when a command imports them, Node's own ones included, which a single ES module
 * would load at its start (200 ms instead of 30). Returns the metafile.
 */
export async function bundleMeshctl(root: string, outfile: string): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: 'node26',
    format: 'cjs',
    // Names are kept for stack traces.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    entryPoints: ['scripts/meshctl/entry.ts'],
    outfile,
    define: {
      // A switch of undici: without its experimental parser.
      esbuildDetection: 'true',
      'import.meta.url': 'meshFile',
      'import.meta.dirname': '__dirname',
    },
    banner: { js: "const meshFile = require('node:url').pathToFileURL(__filename).href;" },
    plugins: [lightImports, constantVersion(root), platformBeside],
  })
  return metafile
}

// Node.js imports it when `dev` is called: from the package, and not from the binary, which has no file beside it.
const platformBeside: Plugin = {
  name: 'platform-beside',
  setup({ onResolve }) {
    onResolve({ filter: /^#local\// }, ({ path }) => ({ path: path.replace(/^#(.*)\.ts$/, './$1.js'), external: true }))
  },
}

// The binary has no package.json beside it.
function constantVersion(root: string): Plugin {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  return {
    name: 'constant-version',
    setup({ onLoad }) {
      onLoad({ filter: /\/cli\/version\.ts$/ }, () => ({
        contents: `export const version = ${JSON.stringify(version)}`,
      }))
    },
  }
}
