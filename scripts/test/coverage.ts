import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Report } from 'c8'

/** Coverage of the sources by tests and their child processes. */
export interface Coverage {
  /** Folder for the output of one test file's processes (`NODE_V8_COVERAGE`). */
  folderOf(file: number): string
  /** Adds the output of a file's processes. */
  add(file: number): void
  /** Renders the executed lines, branches and functions per folder of sources. */
  table(): Promise<string>
}

interface Counts {
  readonly covered: number
  readonly total: number
}

type Summary = Readonly<Record<(typeof counted)[number], Counts>>
type Summaries = Readonly<Record<string, Summary>>

interface ProcessCoverage {
  readonly result: readonly { readonly url: string }[]
}

const counted = ['lines', 'branches', 'functions'] as const

/** Collects coverage below `root`; removes the output of an earlier run. */
export function createCoverage(root: string, folder: string): Coverage {
  const merged = join(folder, 'processes')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(merged, { recursive: true })
  const folderOf = (file: number): string => join(folder, `file-${file}`)
  const add = (file: number): void => {
    for (const name of namesIn(folderOf(file))) keepSources(join(folderOf(file), name), join(merged, name), root)
    rmSync(folderOf(file), { recursive: true, force: true })
  }
  const table = async (): Promise<string> => {
    const report = new Report({ tempDirectory: merged, reportsDirectory: folder, reporter: ['json-summary', 'html'] })
    await report.run()
    const { total: _, ...files } = JSON.parse(readFileSync(join(folder, 'coverage-summary.json'), 'utf8')) as Summaries
    return toTable(Object.entries(files).map(([file, summary]) => [folderOfSource(relative(root, file)), summary]))
  }
  return { folderOf, add, table }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

// Without packages, tests and Node.js itself, the output is a tenth. A killed process may have written a part only.
function keepSources(from: string, to: string, root: string): void {
  try {
    const { result } = JSON.parse(readFileSync(from, 'utf8')) as ProcessCoverage
    writeFileSync(to, JSON.stringify({ result: result.filter(({ url }) => isSource(url, root)) }))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
}

function isSource(url: string, root: string): boolean {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return false
  const path = relative(root, fileURLToPath(url))
  return (
    /^(?:main\.ts$|(?:core|plugins|schemas|launcher|local)\/)/.test(path) &&
    !/\.test\.ts$|\/(?:testing|testdata)\//.test(path)
  )
}

function folderOfSource(path: string): string {
  return path.split('/').slice(0, -1).slice(0, 2).join('/') || '.'
}

function toTable(files: readonly (readonly [string, Summary])[]): string {
  const byFolder = Map.groupBy(files, ([folder]) => folder)
  const lines = [...byFolder].toSorted(([a], [b]) => a.localeCompare(b)).map(([folder, own]) => lineOf(folder, own))
  return [
    `${'folder'.padEnd(28)}${counted.map((what) => what.padStart(11)).join('')}`,
    ...lines,
    lineOf('all', files),
  ].join('\n')
}

function lineOf(name: string, files: Parameters<typeof toTable>[0]): string {
  const percents = counted.map((what) => {
    const [covered, total] = files.reduce(
      ([some, all], [, summary]) => [some + summary[what].covered, all + summary[what].total],
      [0, 0],
    )
    return `${total === 0 ? '-' : ((100 * covered) / total).toFixed(1)} %`.padStart(11)
  })
  return `${name.padEnd(28)}${percents.join('')}`
}
