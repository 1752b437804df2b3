import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, normalize, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

// Install a package, follow pages in a copy of the tree, wait for cron, or stop servers and processes under a whole platform.
const onlyLong = [
  'test/pack/pack.test.ts',
  'test/contract/plugins/evals/evals.test.ts',
  'test/flows/readme.test.ts',
  'test/flows/key-rotation.test.ts',
  'test/flows/outage.test.ts',
  'test/chosen-namespaces.test.ts',
  'plugins/audit/conservation.test.ts',
]
// Run other variants or more cases in a long run (test/harness/counts.ts).
const withLongCounts = [
  'test/flows/main-job.test.ts',
  'test/flows/lifecycle.test.ts',
  'test/contract/apiserver/differential.test.ts',
  'launcher/supervise/parent-killed.test.ts',
  'local/apiserver/testing/cost.test.ts',
]
// Real pods need a cluster: `npm run test:pods` names its folder. The fault cases are a separate step: `npm run test:chaos`.
const onlyWhenNamed = [
  join('test', 'pods'),
  join('test', 'chaos', 'chaos.test.ts'),
  ...onlyLong.map((path) => normalize(path)),
]
// Tests that start a whole platform take longest: started last, they would leave other processors idle.
const slowFolders = ['test/contract', 'test/flows', 'plugins/runs', 'local', 'test', 'core', 'plugins']
const neverEntered = new Set(['node_modules', 'dist', '.git', '.mesh', 'coverage'])

/**
 * Absolute paths of test files under `root`: all of them with the slowest first, or those that match a filter (a path or a part of one).
 */
export function findTests(root: URL, filters: readonly string[]): string[] {
  const top = fileURLToPath(root)
  if (filters.length === 0) {
    return testsBelow(top)
      .filter((file) => !onlyWhenNamed.some((path) => relative(top, file).startsWith(path)))
      .toSorted((a, b) => slowness(relative(top, a)) - slowness(relative(top, b)))
  }
  return [...new Set(filters.flatMap((filter) => named(top, filter)))]
}

/** Absolute paths of the test files of `npm run test:long`. */
export function findLongTests(root: URL): string[] {
  return [...onlyLong, ...withLongCounts].map((path) => fileURLToPath(new URL(path, root)))
}

function slowness(file: string): number {
  const found = slowFolders.findIndex((folder) => file.startsWith(join(folder, '/')))
  return found === -1 ? slowFolders.length : found
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
