import { dirname } from 'node:path/posix'
import { isTest } from './sources.ts'
import type { Source } from './sources.ts'

/** A workspace package whose folders are layers. Each imports only itself and earlier layers. */
export interface LayeredPackage {
  /** Package name used by the rest of the project. */
  readonly name: string
  /** Folder, relative to the project's root. */
  readonly folder: string
  readonly layers: readonly string[]
}

/** The embedded API server, from JSON values to the listener. */
export const apiServer: LayeredPackage = {
  name: '@mesh.dev/embedded-apiserver',
  folder: 'local/apiserver',
  layers: [
    'json',
    'storage',
    'schema',
    'patch',
    'apply',
    'kinds',
    'definitions',
    'strategies',
    'rules',
    'controllers',
    'auth',
    'rbac',
    'reviews',
    'verbs',
    'documents',
    'wire',
  ],
}

/** A larger folder is hard to search by name. */
const filesPerFolder = 16
const linesPerFile = 300

/**
 * Imports of a later layer, of a folder that is no layer, or of files outside the package. Type imports count, since they couple the layers
 * as much. Tests may import test helpers of the package only.
 */
export function upwardImports(sources: readonly Source[], { folder, layers }: LayeredPackage): string[] {
  const rank = (path: string) => layers.indexOf(path.slice(folder.length + 1).split('/')[0] ?? '')
  return sources.flatMap(({ path, imports }) => {
    if (!path.startsWith(`${folder}/`)) return []
    const own = rank(path)
    return imports
      .filter(({ target }) => isProject(target))
      .filter(({ target }) => {
        if (!target.startsWith(`${folder}/`)) return true
        if (own < 0 || isTest(path)) return false
        return rank(target) < 0 || rank(target) > own
      })
      .map(({ target }) => `${path} imports ${target}`)
  })
}

/** Folders with too many files, and files with too many lines. */
export function crowdedLayers(sources: readonly Source[], { folder, layers }: LayeredPackage): string[] {
  const long = sources.filter(({ path, lines }) => path.startsWith(`${folder}/`) && lines > linesPerFile)
  const counts = new Map<string, number>()
  for (const { path } of sources)
    if (layers.some((layer) => path.startsWith(`${folder}/${layer}/`)))
      counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  const crowded = [...counts]
    .filter(([, count]) => count > filesPerFolder)
    .map(([path, count]) => `${path} has ${count} files`)
  return [...crowded, ...long.map(({ path, lines }) => `${path} has ${lines} lines`)]
}

/** Import cycles among files of the package, each as a path such as `a.ts -> b.ts -> a.ts`; types count. */
export function fileCycles(sources: readonly Source[], { folder }: LayeredPackage): string[] {
  const graph = new Map(
    sources
      .filter(({ path }) => path.startsWith(`${folder}/`))
      .map(({ path, imports }) => [path, imports.map(({ target }) => target)]),
  )
  const done = new Set<string>()
  const found: string[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path)
    if (start >= 0) return void found.push([...trail.slice(start), path].join(' -> '))
    if (done.has(path)) return
    for (const target of graph.get(path) ?? []) visit(target, [...trail, path])
    done.add(path)
  }
  for (const path of graph.keys()) visit(path, [])
  return found
}

/** Imports of the package's files by path. Other code may only use the entry points that it exports. */
export function privateImports(sources: readonly Source[], { folder }: LayeredPackage): string[] {
  return sources
    .filter(({ path }) => !path.startsWith(`${folder}/`))
    .flatMap(({ path, imports }) =>
      imports.filter(({ target }) => target.startsWith(`${folder}/`)).map(({ target }) => `${path} imports ${target}`),
    )
}

function isProject(target: string): boolean {
  return /^(?:main\.ts$|(?:schemas|core|plugins|launcher|cli|local|scripts|test|bench)\/)/.test(target)
}
