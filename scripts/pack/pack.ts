import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeProgram, programImports } from '../program/make-program.ts'
import { emitDeclarations } from './declarations.ts'
import type { SourceManifest } from './manifest.ts'
import { toManifest } from './manifest.ts'
import { toNotices } from './notices.ts'

/** Files for users, not read by the program. */
const shipped = ['README.md', 'CHANGELOG.md', 'LICENSE', 'NOTICE', 'docs', 'examples']

/** The packages that cannot be bundled: their WebAssembly is in their folders. */
const unbundled = ['@electric-sql/pglite']

/** Packages with a copied file, which the bundles do not list. */
const copied = ['node_modules/@scalar/fastify-api-reference']

/** What third-party plugins import. */
const contract = 'plugin'

/**
 * Creates the folder of the published package: bundled JavaScript in the layout of the sources, with its data files. Bundled instead of
 * file by file: two packages to install instead of 160, and a start takes 2.0 s of CPU instead of 2.3 s from sources.
 */
export async function makePackage(root: string, folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  const bundles = await makeProgram(root, folder)
  for (const path of shipped) cpSync(join(root, path), join(folder, path), { recursive: true })
  cpSync(join(root, 'scripts', 'pack', 'bin'), join(folder, 'bin'), { recursive: true })
  for (const name of ['mesh', 'meshctl']) chmodSync(join(folder, 'bin', `${name}.mjs`), 0o755)
  const source = readJson<SourceManifest>(join(root, 'package.json'))
  const dependencies = Object.fromEntries(unbundled.map((name) => [name, versionOf(root, name)]))
  const typed = writeDeclarations(root, join(folder, 'types'))
  const wanted = { dependencies, imports: programImports, typed, types: `./types/${contract}.d.ts` }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(toManifest(source, wanted), undefined, 2)}\n`)
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES'), toNotices(root, bundles, copied))
}

function versionOf(root: string, name: string): string {
  return readJson<{ version: string }>(join(root, 'node_modules', name, 'package.json')).version
}

// Returns the packages whose types the declarations contain.
function writeDeclarations(root: string, folder: string): ReadonlySet<string> {
  const { files, packages } = emitDeclarations(root, `${contract}.ts`)
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return packages
}

/** Packs a folder with npm. Returns the path of the tarball. */
export function packTarball(folder: string, into: string): string {
  const output = execFileSync('npm', ['pack', '--json', '--pack-destination', into], {
    cwd: folder,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [packed] = JSON.parse(output) as { filename: string }[]
  if (packed === undefined) throw new Error('npm pack named no file')
  return join(into, packed.filename)
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8')) as T
}
