import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path/posix'

/** Declarations of the package: content by path (`core/host/core.d.ts`), and the packages they import. */
export interface Declarations {
  readonly files: ReadonlyMap<string, string>
  readonly packages: ReadonlySet<string>
}

/** Emits the declarations reachable from an entry (`plugin.ts`), with relative imports only. */
export function emitDeclarations(root: string, entry: string): Declarations {
  const emitted = emit(root, entry)
  const files = new Map<string, string>()
  const packages = new Set<string>()
  const waiting = new Set([toDeclaration(entry)])
  // Iteration over a Set includes entries added meanwhile.
  for (const path of waiting) {
    const text = emitted.get(path)
    if (text === undefined) throw new Error(`${path} is imported but has no declarations`)
    files.set(
      path,
      rewriteImports(text, (specifier) => {
        const target = targetOf(path, specifier)
        if (target === undefined) packages.add(packageOf(specifier))
        else waiting.add(toDeclaration(target))
        return target === undefined ? specifier : relativeTo(path, target)
      }),
    )
  }
  return { files, packages }
}

// Without type checking, which `npm run types` does, the compiler needs a quarter of the time.
function emit(root: string, entry: string): Map<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'mesh-declarations-'))
  try {
    const flags = { noEmit: false, declaration: true, emitDeclarationOnly: true, incremental: false, noCheck: true }
    // The folder has no packages, so the types of Node.js are taken from the project.
    const typeRoots = [join(root, 'node_modules/@types')]
    const compilerOptions = { ...flags, rootDir: root, outDir: join(folder, 'out'), tsBuildInfoFile: null, typeRoots }
    const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: [], files: [join(root, entry)] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    compile(folder)
    const paths = globSync('**/*.d.ts', { cwd: join(folder, 'out') })
    return new Map(paths.map((path) => [path, readFileSync(join(folder, 'out', path), 'utf8')]))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function compile(folder: string): void {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
  const { status, stdout } = spawnSync(process.execPath, [compiler, '--project', folder, '--pretty', 'false'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (status !== 0) throw new Error(`the declarations could not be emitted: ${stdout}`)
}

// Import forms written by the compiler: `from '...'`, `import '...'` and `import('...')`.
const importSpecifier = /(?<=^(?:import|export|\}) (?:[^"'\n]* )?from |^import |\bimport\()(["'])([^"'\n]+)\1/gm

function rewriteImports(text: string, rewrite: (specifier: string) => string): string {
  return text.replaceAll(importSpecifier, (_, quote: string, specifier: string) => quote + rewrite(specifier) + quote)
}

// Resolves `#core/x.ts` to core/x.ts, as package.json does; undefined for packages.
function targetOf(path: string, specifier: string): string | undefined {
  if (specifier.startsWith('#')) return specifier.slice(1)
  return specifier.startsWith('.') ? join(dirname(path), specifier) : undefined
}

function relativeTo(path: string, target: string): string {
  const found = relative(dirname(path), target).replace(/\.ts$/, '.js')
  return found.startsWith('.') ? found : `./${found}`
}

function toDeclaration(path: string): string {
  return path.replace(/\.ts$/, '.d.ts')
}

// @types/node declares the modules of Node.js.
function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return '@types/node'
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}
