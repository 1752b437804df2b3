import { readFileSync, writeFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import type { Metafile, Plugin } from 'esbuild'
import { lightImports } from '../images/light-imports.ts'
import { joinChunks } from './join-chunks.ts'

/**
 * Bundles meshctl as one file of CommonJS (ADR 0311): a chunk for what each command imports, evaluated when the command runs. Returns the metafile.
 */
export async function bundleMeshctl(root: string, outfile: string): Promise<Metafile> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: 'node26',
    // Only ES modules can be split.
    format: 'esm',
    splitting: true,
    write: false,
    // Names are kept for stack traces.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    entryPoints: ['scripts/meshctl/entry.ts'],
    outdir: dirname(outfile),
    define: {
      // A switch of undici: without its experimental parser.
      esbuildDetection: 'true',
      'import.meta.url': 'meshFile',
      'import.meta.dirname': '__dirname',
    },
    plugins: [lightImports, constantVersion(root), platformBeside, commanderAlone],
  })
  mkdirSync(dirname(outfile), { recursive: true })
  writeFileSync(outfile, await joinChunks(outputFiles, './entry.js'))
  return metafile
}

// Node.js imports it when `dev` is called: from the package, and not from the binary, which has no file beside it.
const platformBeside: Plugin = {
  name: 'platform-beside',
  setup({ onResolve }) {
    onResolve({ filter: /^#local\// }, ({ path }) => ({ path: path.replace(/^#(.*)\.ts$/, './$1.js'), external: true }))
  },
}

// Commander can start commands as programs, which meshctl does not do. The module for that loads sockets.
const commanderAlone: Plugin = {
  name: 'commander-alone',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:child_process$/ }, ({ path, importer }) =>
      importer.includes('/node_modules/commander/') ? { path, namespace: 'absent' } : undefined,
    )
    onLoad({ filter: /.*/, namespace: 'absent' }, () => ({ contents: '' }))
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
