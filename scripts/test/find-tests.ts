import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

// Real pods need a cluster of their own: `npm run test:pods` names its folder.
const onlyWhenNamed = [join('test', 'pods')]
const neverEntered = new Set(['node_modules', 'dist', '.git', '.mesh', 'coverage'])

/** Absolute paths of the test files under `root`: all of them, or those that a filter (a path, or a part of one) names. */
export function findTests(root: URL, filters: readonly string[]): string[] {
  const top = fileURLToPath(root)
  if (filters.length === 0) {
    return testsBelow(top).filter((file) => !onlyWhenNamed.some((folder) => relative(top, file).startsWith(folder)))
  }
  return [...new Set(filters.flatMap((filter) => named(top, filter)))]
}

function named(top: string, filter: string): string[] {
  const path = resolve(top, filter)
  if (!existsSync(path)) return testsBelow(top).filter((file) => relative(top, file).includes(filter))
  return statSync(path).isDirectory() ? testsBelow(path) : [path]
}

function testsBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .flatMap((entry) => {
      if (entry.isDirectory()) return neverEntered.has(entry.name) ? [] : testsBelow(join(folder, entry.name))
      return entry.name.endsWith('.test.ts') ? [join(folder, entry.name)] : []
    })
}
