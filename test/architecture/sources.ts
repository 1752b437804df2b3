import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'

/** One import of a source file. */
export interface Import {
  /** Path from the project's root for own files, else the package name as written. */
  readonly target: string
  readonly typeOnly: boolean
  readonly dynamic: boolean
  /** Imported names; empty for namespaces and side effects. */
  readonly names: readonly string[]
}

/** A TypeScript file, by its path from the project's root. */
export interface Source {
  readonly path: string
  /** Text without comments, for rules on words in code. */
  readonly code: string
  readonly lines: number
  readonly imports: readonly Import[]
}

const rooms = ['schemas', 'core', 'plugins', 'launcher', 'cli', 'ui', 'local', 'scripts', 'test', 'bench']

/** Reads every TypeScript source of the project. */
export function readSources(root: string): Source[] {
  const files = rooms.flatMap((room) => filesBelow(root, room))
  return ['main.ts', 'plugin.ts', ...files].flatMap((path) => {
    const text = readIfThere(join(root, path))
    return text === undefined ? [] : [toSource(path, text)]
  })
}

/** Parses the parts of a file that the rules need. */
export function toSource(path: string, text: string): Source {
  const code = withoutComments(text)
  return {
    path,
    code,
    lines: text.split('\n').length - 1,
    imports: [...staticImports(path, code), ...dynamicImports(path, code)],
  }
}

/** Tests are located beside the code and may import more than it; so may helpers in `testing` and `testdata`. */
export function isTest(path: string): boolean {
  return (
    path.endsWith('.test.ts') ||
    path.startsWith('test/') ||
    path.startsWith('bench/') ||
    /\/(?:testing|testdata)\//.test(path)
  )
}

function filesBelow(root: string, folder: string): string[] {
  const entries = readdirIfThere(join(root, folder))
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return entry.name === 'node_modules' || entry.name === 'dist' ? [] : filesBelow(root, path)
    return /\.tsx?$/.test(entry.name) ? [path] : []
  })
}

function readdirIfThere(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

// Removes line comments only where `//` starts a line or follows a space, so that URLs in strings remain.
function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1')
}

function staticImports(path: string, code: string): Import[] {
  const statement = /^(?:import|export)\s+(type\s+)?(?:([^'";]*?)\s+from\s+)?'([^']+)'/gm
  return [...code.matchAll(statement)].map(([, type, clause = '', specifier = '']) => {
    const names = (/\{([^}]*)\}/.exec(clause)?.[1] ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
    const onlyNamedTypes =
      names.length > 0 && names.every((name) => name.startsWith('type ')) && clause.trim().startsWith('{')
    return {
      target: resolve(path, specifier),
      typeOnly: type !== undefined || onlyNamedTypes,
      dynamic: false,
      names: names.map((name) => name.replace(/^type /, '').replace(/ as .*$/, '')),
    }
  })
}

function dynamicImports(path: string, code: string): Import[] {
  return [...code.matchAll(/\bimport\(\s*'([^']+)'/g)].map(([, specifier = '']) => ({
    target: resolve(path, specifier),
    typeOnly: false,
    dynamic: true,
    names: [],
  }))
}

function resolve(path: string, specifier: string): string {
  if (specifier.startsWith('#')) return posix.join(packageOf(path), specifier.slice(1))
  if (specifier.startsWith('.')) return posix.join(dirname(path), specifier)
  return specifier
}

// `#` is relative to the nearest package.json: the project's, or that of a workspace package.
function packageOf(path: string): string {
  return path.startsWith('local/apiserver/') ? 'local/apiserver' : ''
}
