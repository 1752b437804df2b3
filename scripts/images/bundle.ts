import { copyFileSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { build } from 'esbuild'
import type { BuildOptions, Metafile, Plugin } from 'esbuild'
import { PACKED_CONSOLE } from '#core/http/console/console-files.ts'
import { extractScalar } from '#core/http/openapi/extract-scalar.ts'
import { PACKED_SCRIPT } from '#core/http/openapi/scalar-script.ts'
import { packConsole } from '../console/pack-console.ts'
import { lightImports } from './light-imports.ts'

const shared: BuildOptions = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  // Names are kept for stack traces; removing white space saves a BFF 5 MB.
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
  // A switch of undici: without its experimental parser, which is never enabled, a bundle is 190 KB smaller.
  define: { esbuildDetection: 'true' },
  // CommonJS packages call `require` at run time.
  banner: {
    js: "import { createRequire as meshCreateRequire } from 'node:module'; const require = meshCreateRequire(import.meta.url);",
  },
}

// pg works without its native part; PGlite loads its WebAssembly from its own folder.
const neverBundled = ['pg-native', '@electric-sql/pglite', '@electric-sql/pglite/*']

// Bundled, since its peer dependency would install a second PGlite. The bundle reads this file beside its chunks.
const pgvector = 'node_modules/@electric-sql/pglite-pgvector/dist/vector.tar.gz'

// Entry points of threads, each in its own file.
const threads = ['core/host/probes/liveness-thread.ts', 'plugins/knowledge/documents/parse-worker.ts']

// Folder of core/http/openapi/scalar-script.ts, which reads the packaged script.
const besideScript = 'core/http/openapi'

// Folder of core/http/console/console-files.ts, which reads the packed console.
const besideConsole = 'core/http/console'

/** Parts excluded from a bundle: those of the embedded default, which no role of a cluster loads. */
export const localParts: readonly string[] = ['#local/*', './local/*', '@mesh.dev/embedded-apiserver']

/** What of the platform is bundled. */
export interface PlatformBundle {
  /** Modules that are left out. */
  readonly without?: readonly string[]
  /** Further entry points. */
  readonly further?: readonly string[]
  /** The packed console of these sources; built if absent. */
  readonly console?: Buffer
}

/**
 * Bundles main.ts and plugin.ts as JavaScript into a folder: `main.js`, `plugin.js`, shared chunks, the compressed script of `/docs`, programs of threads, and each migration at
 * its own path, since migrations are found by listing their folder, and the console. Returns the metafile, of a given console without its inputs.
 */
export async function bundlePlatform(
  root: string,
  outdir: string,
  { without = [], further = [], console: given }: PlatformBundle = {},
): Promise<Metafile> {
  const migrations = globSync(['plugins/*/migrations/*.ts', 'core/*/migrations/*.ts'], { cwd: root }).filter(
    (path) => !path.endsWith('.test.ts'),
  )
  const entries = ['main.ts', 'plugin.ts', ...threads, ...migrations, ...further]
  const metafile = await bundleEntries(root, outdir, entries, without)
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  mkdirSync(join(outdir, besideScript), { recursive: true })
  writeFileSync(join(outdir, besideScript, PACKED_SCRIPT), await extractScalar())
  const { packed, metafile: parts } = given === undefined ? await packConsole(root) : { packed: given, metafile: none }
  mkdirSync(join(outdir, besideConsole), { recursive: true })
  writeFileSync(join(outdir, besideConsole, PACKED_CONSOLE), packed)
  copyFileSync(join(root, pgvector), join(outdir, basename(pgvector)))
  writeFileSync(join(outdir, 'package.json'), `${JSON.stringify({ type: 'module', version })}\n`)
  return { ...metafile, inputs: { ...metafile.inputs, ...parts.inputs } }
}

const none: Pick<Metafile, 'inputs'> = { inputs: {} }

/** Bundles entry points as parts of the platform: each at its own path, with shared chunks. Returns the metafile. */
export async function bundleEntries(
  root: string,
  outdir: string,
  entries: readonly string[],
  without: readonly string[],
): Promise<Metafile> {
  const { metafile } = await build({
    ...shared,
    absWorkingDir: root,
    metafile: true,
    entryPoints: entries.map((path) => ({ in: path, out: path.replace(/\.ts$/, '') })),
    outdir,
    splitting: true,
    chunkNames: '[name]-[hash]',
    external: [...neverBundled, ...without],
    plugins: [lightImports, ownAddress(root)],
  })
  return metafile
}

/** Bundles the launcher as one file, since its startup time and memory matter. Returns the metafile. */
export async function bundleLauncher(root: string, outfile: string): Promise<Metafile> {
  const { metafile } = await build({
    ...shared,
    absWorkingDir: root,
    metafile: true,
    entryPoints: ['launcher/main.ts'],
    outfile,
    plugins: [lightImports],
  })
  return metafile
}

// A module that reads files of its folder (migrations, demo) keeps its own URL instead of the bundle's; all chunks are in the root.
function ownAddress(root: string): Plugin {
  return {
    name: 'own-address',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, 'utf8')
        if (path.includes('node_modules') || !/import\.meta\.(?:url|dirname)/.test(text)) return undefined
        const own = relative(root, path)
        const contents = text
          .replaceAll('import.meta.url', `new URL(${JSON.stringify(`./${own}`)}, import.meta.url).href`)
          .replaceAll('import.meta.dirname', `(import.meta.dirname + ${JSON.stringify(`/${dirname(own)}`)})`)
        return { contents, loader: 'ts' }
      })
    },
  }
}
