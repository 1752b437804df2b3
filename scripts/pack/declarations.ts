import { dirname, join, relative } from 'node:path/posix'
import ts from 'typescript'

/** Declarations of the package: text by path (`core/host/core.d.ts`), and the packages that they import. */
export interface Declarations {
  readonly files: ReadonlyMap<string, string>
  readonly packages: ReadonlySet<string>
}

/** Emits the declarations that those of an entry (`scripts/pack/contract.ts`) reach; every import among them is relative. */
export function emitDeclarations(root: string, entry: string): Declarations {
  const emitted = emit(root, entry)
  const files = new Map<string, string>()
  const packages = new Set<string>()
  const waiting = new Set([toDeclaration(entry)])
  // A Set goes on with what is added while it is walked.
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

// Without its checks, which `npm run types` makes, the compiler takes a quarter of the time.
function emit(root: string, entry: string): Map<string, string> {
  const file = join(root, 'tsconfig.json')
  const { config } = ts.readConfigFile(file, ts.sys.readFile) as {
    config: { compilerOptions: object }
  }
  const own = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    incremental: false,
    noCheck: true,
    rootDir: root,
  }
  const { options } = ts.convertCompilerOptionsFromJson({ ...config.compilerOptions, ...own }, root, file)
  delete options.tsBuildInfoFile
  const emitted = new Map<string, string>()
  const { diagnostics } = ts
    .createProgram([join(root, entry)], options)
    .emit(undefined, (path, text) => emitted.set(relative(root, path), text), undefined, true)
  const [first] = diagnostics
  if (first !== undefined) throw new Error(ts.flattenDiagnosticMessageText(first.messageText, '\n'))
  return emitted
}

function rewriteImports(text: string, rewrite: (specifier: string) => string): string {
  let written = ''
  let end = 0
  for (const { fileName, pos } of ts.preProcessFile(text).importedFiles) {
    // `pos` is that of the quotation mark.
    written += text.slice(end, pos + 1) + rewrite(fileName)
    end = pos + 1 + fileName.length
  }
  return written + text.slice(end)
}

// `#core/x.ts` is core/x.ts, as package.json says; undefined for packages.
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

// Node.js' own modules are typed by @types/node.
function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return '@types/node'
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}
