import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../tools/platform.ts'
import { toPage } from './page.ts'
import { readResults } from './result.ts'
import type { Result } from './result.ts'

const page = join(root, 'docs', 'operations', 'performance.md')
// The results behind the page, which another working copy has not measured.
const data = join(import.meta.dirname, 'shown-results.json')

/** Writes the page and its data from the results in a folder and those that the page already shows. */
export function writePage(folder: string, names: readonly string[]): void {
  const shown = JSON.parse(readFileSync(data, 'utf8')) as readonly Result[]
  const results = mergeResults(names, shown, readResults(folder, names))
  // A line per bench.
  writeFileSync(data, `[\n${results.map((result) => JSON.stringify(result)).join(',\n')}\n]\n`)
  writeFileSync(page, toPage(results))
}

/** The newer result of each bench, by the order of names. A result of a bench that no longer exists is left out. */
export function mergeResults(
  names: readonly string[],
  shown: readonly Result[],
  measured: readonly Result[],
): readonly Result[] {
  const newest = new Map<string, Result>()
  for (const result of [...shown, ...measured]) {
    const known = newest.get(result.name)
    if (known === undefined || result.date >= known.date) newest.set(result.name, result)
  }
  return names.flatMap((name) => newest.get(name) ?? [])
}
