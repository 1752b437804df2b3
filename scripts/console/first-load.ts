import type { Metafile } from 'esbuild'
import type { PackedConsole } from './pack-console.ts'

/** Compressed bytes that a browser loads. */
export interface LoadSize {
  readonly scripts: number
  readonly styles: number
  /** Number of scripts. */
  readonly files: number
}

/** What the first page loads: the program with all that it imports, and the sheet. Fonts are kept for a year and not counted. */
export function firstLoad({ files, metafile }: PackedConsole): LoadSize {
  const first = importsOf(metafile, entryOf(metafile, /(?:^|\/)main-[^/]*\.js$/))
  const scheme = Object.keys(metafile.outputs).filter((path) => /(?:^|\/)scheme-[^/]*\.js$/.test(path))
  const sheets = files.filter(({ path }) => path.endsWith('.css')).map(({ path }) => path)
  const scripts = [...first, ...scheme]
  return { scripts: sizeOf(files, scripts), styles: sizeOf(files, sheets), files: scripts.length }
}

/** What each part that is loaded later adds to the first load, by the source that is its entry; without the editor that several share. */
export function laterLoads({ files, metafile }: PackedConsole): ReadonlyMap<string, number> {
  const first = importsOf(metafile, entryOf(metafile, /(?:^|\/)main-[^/]*\.js$/))
  const later = Object.entries(metafile.outputs).filter(
    ([path, { entryPoint }]) =>
      path.endsWith('.js') && entryPoint !== undefined && !first.has(path) && !/scheme-/.test(path),
  )
  return new Map(
    later.map(([path, { entryPoint = path }]) => {
      const own = [...importsOf(metafile, path)].filter((one) => !first.has(one) && !isOfEditor(metafile, one))
      return [entryPoint, sizeOf(files, own)]
    }),
  )
}

// Their sizes have a budget of their own.
function isOfEditor({ outputs }: Metafile, path: string): boolean {
  return Object.keys(outputs[path]?.inputs ?? {}).some((source) => /node_modules\/(?:yaml|@codemirror)\//.test(source))
}

function entryOf({ outputs }: Metafile, pattern: RegExp): string {
  const found = Object.keys(outputs).find((path) => pattern.test(path))
  if (found === undefined) throw new Error(`the bundle has no file ${pattern}`)
  return found
}

// A file with those that it imports at once, and theirs.
function importsOf({ outputs }: Metafile, entry: string): ReadonlySet<string> {
  const found = new Set([entry])
  for (const path of found)
    for (const { path: imported, kind } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement') found.add(imported)
  return found
}

function sizeOf(files: PackedConsole['files'], paths: readonly string[]): number {
  const names = new Set(paths.map((path) => `/assets/${path.split('/').at(-1)}`))
  return files
    .filter(({ path }) => names.has(path))
    .reduce((sum, { gzip }) => sum + Buffer.from(gzip, 'base64').length, 0)
}
