import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import type { BuildOptions, Metafile, OutputFile } from 'esbuild'
import type { PackedFile } from '#core/http/console/console-files.ts'
import { consoleAliases } from './console-aliases.ts'
import { oneFirstChunk } from './one-first-chunk.ts'

/** The console as one compressed file, and what its scripts contain. */
export interface PackedConsole {
  readonly packed: Buffer
  readonly files: readonly PackedFile[]
  readonly metafile: Metafile
}

const options: BuildOptions = {
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2023',
  jsx: 'automatic',
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
  write: false,
  outdir: '/assets',
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  loader: { '.woff2': 'file' },
  define: { 'process.env.NODE_ENV': '"production"' },
}

const CONSOLE = 'ui/app/main.tsx'
/** Program of the page of parts, for development: no part of a release. */
export const PARTS_PROGRAM = 'ui/states/main.tsx'
const SCHEME = 'ui/app/theme/scheme.ts'

/** Builds the console: its page, and scripts, styles and fonts whose names change with their content. */
export async function packConsole(root: string, program: string = CONSOLE): Promise<PackedConsole> {
  const { outputFiles = [], metafile } = await build({
    ...options,
    entryPoints: { main: program, scheme: SCHEME },
    absWorkingDir: root,
    alias: consoleAliases(root),
    plugins: [oneFirstChunk(root)],
  })
  if (metafile === undefined) throw new Error('the bundler wrote no metafile')
  const assets = outputFiles.map(toPacked).filter(({ path }) => !isSpareStyle(path))
  const page = toPage(readFileSync(join(root, 'ui', 'index.html'), 'utf8'), assets)
  const index: PackedFile = { path: '/', type: 'text/html; charset=utf-8', gzip: compress(Buffer.from(page)) }
  const files = [index, ...assets]
  return { packed: gzipSync(JSON.stringify(files)), files, metafile }
}

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
}

function toPacked({ path, contents }: OutputFile): PackedFile {
  const name = basename(path)
  const type = types[name.split('.').at(-1) ?? '']
  if (type === undefined) throw new Error(`${name}: its media type is not known`)
  return { path: `/assets/${name}`, type, gzip: compress(contents) }
}

// The sheet of the program has the styles of the code that it loads later, too; the bundler repeats them in one for each such part.
function isSpareStyle(path: string): boolean {
  return path.endsWith('.css') && !path.startsWith('/assets/main-')
}

const tags: readonly (readonly [RegExp, (path: string) => string])[] = [
  // Not a module, so that it runs before the first paint.
  [/^\/assets\/scheme-.*\.js$/, (path) => `<script src="${path}"></script>`],
  [/\.css$/, (path) => `<link rel="stylesheet" href="${path}" />`],
  [
    /latin-wght-normal-.*\.woff2$/,
    (path) => `<link rel="preload" href="${path}" as="font" type="font/woff2" crossorigin />`,
  ],
  [/^\/assets\/main-.*\.js$/, (path) => `<script type="module" src="${path}"></script>`],
]

function toPage(template: string, files: readonly PackedFile[]): string {
  const links = tags.flatMap(([pattern, tag]) =>
    files.filter(({ path }) => pattern.test(path)).map(({ path }) => tag(path)),
  )
  return template.replace('</head>', `${links.join('')}</head>`)
}

function compress(contents: Uint8Array): string {
  return gzipSync(contents, { level: 9 }).toString('base64')
}
