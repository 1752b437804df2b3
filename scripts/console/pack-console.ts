import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import type { BuildOptions, Metafile, OutputFile } from 'esbuild'
import type { PackedFile } from '#core/http/console/console-files.ts'

/** The console as one compressed file, and what its scripts contain. */
export interface PackedConsole {
  readonly packed: Buffer
  readonly metafile: Metafile
}

// In a workspace of its own; plugins' pages are outside of it.
const packages = ['react', 'react-dom', '@tanstack/react-query', '@tanstack/react-router']

const options: BuildOptions = {
  entryPoints: ['ui/app/main.tsx'],
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
  define: { 'process.env.NODE_ENV': '"production"' },
}

/** Builds the console: its page, and scripts and styles whose names change with their content. */
export async function packConsole(root: string): Promise<PackedConsole> {
  const alias = Object.fromEntries(packages.map((name) => [name, packageFolder(root, name)]))
  const { outputFiles = [], metafile } = await build({ ...options, absWorkingDir: root, alias })
  if (metafile === undefined) throw new Error('the bundler wrote no metafile')
  const files = outputFiles.map(toPacked)
  const page = toPage(readFileSync(join(root, 'ui', 'index.html'), 'utf8'), files)
  const index: PackedFile = { path: '/', type: 'text/html; charset=utf-8', gzip: compress(Buffer.from(page)) }
  return { packed: gzipSync(JSON.stringify([index, ...files])), metafile }
}

// npm keeps packages of the workspace in it where the root has another version.
function packageFolder(root: string, name: string): string {
  const { devDependencies } = readManifest(join(root, 'ui')) ?? {}
  const wanted = devDependencies?.[name]?.replace(/^\^/, '').split('.')[0]
  for (const folder of ['ui/node_modules', 'node_modules']) {
    const path = join(root, folder, name)
    // The root may have an older one for another package.
    if (readManifest(path)?.version?.split('.')[0] === wanted) return path
  }
  throw new Error(`${name} ${wanted} is not installed: npm ci installs it`)
}

interface PackageManifest {
  readonly version?: string
  readonly devDependencies?: Readonly<Record<string, string>>
}

function readManifest(folder: string): PackageManifest | undefined {
  const file = join(folder, 'package.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as PackageManifest) : undefined
}

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

function toPacked({ path, contents }: OutputFile): PackedFile {
  const name = basename(path)
  const type = types[name.split('.').at(-1) ?? '']
  if (type === undefined) throw new Error(`${name}: its media type is not known`)
  return { path: `/assets/${name}`, type, gzip: compress(contents) }
}

function toPage(template: string, files: readonly PackedFile[]): string {
  const links = files.flatMap(({ path }) => {
    if (path.endsWith('.css')) return [`<link rel="stylesheet" href="${path}" />`]
    return path.startsWith('/assets/main-') ? [`<script type="module" src="${path}"></script>`] : []
  })
  return template.replace('</head>', `${links.join('')}</head>`)
}

function compress(contents: Uint8Array): string {
  return gzipSync(contents, { level: 9 }).toString('base64')
}
