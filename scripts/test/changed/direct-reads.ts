import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'

/** Files and folders that one file reads, by path from the root; `everything` if it lists folders that it does not name. */
export interface DirectReads {
  readonly paths: readonly string[]
  readonly everything: boolean
}

// Imports of types are erased. The names of an import may be on several lines.
const patterns = [
  /^\s*(?:import|export) (?!type\b)[^;'"]*?from ['"]([^'"]+)['"]/gm,
  /^\s*import ['"]([^'"]+)['"]/gm,
  /\bimport\(\s*['"]([^'"]+)['"]/g,
  /import\.meta\.resolve\(\s*['"]([^'"]+)['"]/g,
  /new URL\(\s*['"`]([^'"`$]+)[^,]*,\s*import\.meta\.url/g,
]
// A composed name may be any file in the folder that precedes it.
const composed = [/\bimport\(\s*`([^`$]*)\$\{/g, /import\.meta\.resolve\(\s*`([^`$]*)\$\{/g]
const lists = /\b(?:globSync|glob|readdirSync|readdir)\(/
// Modules of the harness that list processes, programs of the system, or the folder of a test.
const listsOther =
  /^test\/(?:harness\/(?:find-server|process-state)|listeners\/listening|pods\/.*|flows\/platform\/key-mount)\.ts$/
// A module that lists folders, or names the root, may say which folders it reads: `// Reads of the project: ui plugins/*/console`, or `none`.
const declared = /^\/\/ Reads of the project: (.+)$/m
// Tools that build the program and the console: their sources are in the closure of what starts them, or declared.
const ofTools = /^scripts\/(?:console|program)\//
const workspace = '@mesh.dev/embedded-apiserver'

/** Returns the files and folders that a source file imports or names. A folder covers all files below it. */
export function directReads(root: string, path: string): DirectReads {
  if (!/\.[cm]?[jt]s$/.test(path)) return { paths: [], everything: false }
  const text = readFileSync(join(root, path), 'utf8')
  const found = [
    ...patterns.flatMap((pattern) => targetsOf(text, pattern)),
    ...composed.flatMap((pattern) => targetsOf(text, pattern).map((prefix) => dirname(`${prefix}x`))),
  ].flatMap((target) => resolveOwn(root, path, target))
  const paths = found.filter((one) => one !== '')
  const [, said] = declared.exec(text) ?? []
  if (said !== undefined) return { paths: [...paths, ...foldersOf(root, said)], everything: false }
  const listsUnnamed = lists.test(text) && !listsOther.test(path) && !paths.some((one) => isFolder(root, one))
  return { paths, everything: isOfTests(path) && !ofTools.test(path) && (found.includes('') || listsUnnamed) }
}

function foldersOf(root: string, said: string): string[] {
  if (said === 'none') return []
  return said.split(' ').flatMap((path) => {
    const [before = '', after] = path.split('*')
    const found = after === undefined ? [path] : readdirSync(join(root, before)).map((one) => `${before}${one}${after}`)
    return found.filter((one) => existsSync(join(root, one)))
  })
}

function targetsOf(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, target = '']) => target)
}

// Path from the root, '' for the root itself; undefined for packages, which the lock file covers.
function resolveOwn(root: string, from: string, target: string): string[] {
  const path = pathOf(root, from, target)
  if (path === undefined || !existsSync(join(root, path))) return []
  const own = path.replace(/\/$/, '')
  return own.startsWith('..') || own.includes('node_modules') ? [] : [own === '.' ? '' : own]
}

function pathOf(root: string, from: string, target: string): string | undefined {
  if (target.startsWith(workspace)) return 'local/apiserver'
  if (target.startsWith('#testing/')) return join('local/apiserver', target.slice(1))
  if (target.startsWith('#')) return target.slice(1)
  if (target.startsWith('.')) return relative(root, normalize(join(root, dirname(from), target))) || '.'
  return undefined
}

function isOfTests(path: string): boolean {
  return /^(?:test|scripts)\/|\.test\.ts$|\/(?:testing|testdata)\//.test(path)
}

/** Whether a path from the root is a folder. */
export function isFolder(root: string, path: string): boolean {
  return statSync(join(root, path)).isDirectory()
}
