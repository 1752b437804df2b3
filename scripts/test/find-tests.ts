import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { join, normalize, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

// Tests that install a package, follow pages in a copy of the tree, wait for cron, or stop servers and processes of a whole platform. Slowest first.
const onlyLong = [
  'test/failures/failures.test.ts',
  'test/pack/pack.test.ts',
  'test/flows/readme.test.ts',
  'test/flows/evals/gate-killed.test.ts',
  'test/flows/story/local-story.test.ts',
  'test/flows/key-rotation.test.ts',
  'test/contract/plugins/evals/evals.test.ts',
  'test/flows/outage.test.ts',
  'test/chosen-namespaces.test.ts',
  'plugins/audit/conservation.test.ts',
]
// Tests that run other variants in a long run (test/harness/counts.ts).
const withLongVariants = [
  'test/flows/main-job.test.ts',
  'test/flows/lifecycle.test.ts',
  'test/flows/evals/eval-killed.test.ts',
  'test/docs/gate-a-deploy.test.ts',
  'test/contract/plugins/trials/trials.test.ts',
]
// Tests that run with more or larger cases in a long run, slowest first.
const withLongCounts = [
  'test/ui/pages.test.ts',
  'test/flows/evals/gate-under-load.test.ts',
  'test/console/audit.test.ts',
  'plugins/registries/launcher/verify-call.test.ts',
  'test/contract/apiserver/differential.test.ts',
  'launcher/supervise/parent-killed.test.ts',
  'local/apiserver/testing/cost.test.ts',
]
// Runs all cells in `npm run test:authz`.
const matrix = 'test/contract/routes/authorization.test.ts'
// Tests in a loop over both databases; `npm test` runs them on PostgreSQL only (core/database/testing/databases.ts).
const onBothDatabases = ' of pluginAdapters)'
// Real pods need a cluster: `npm run test:pods` names its folder. The fault cases are a separate step: `npm run test:chaos`.
const onlyWhenNamed = [
  join('test', 'pods'),
  join('test', 'chaos', 'chaos.test.ts'),
  ...onlyLong.map((path) => normalize(path)),
]

/** Files that take longest, which start first and share no process: started last, they would leave other processors idle. */
export const slowest: readonly string[] = [
  'test/flows/main-job.test.ts',
  'test/contract/routes/authorization.test.ts',
  'plugins/runs/worker/worker.test.ts',
  'test/flows/statements-per-run.test.ts',
  'local/workloads/workloads.test.ts',
  'test/ui/pages.test.ts',
  'test/listeners/listeners.test.ts',
  'test/flows/lifecycle.test.ts',
  'local/start.test.ts',
  'test/contract/apiserver/differential.test.ts',
  'plugins/runs/worker/back-pressure.test.ts',
  'core/host/process/start.test.ts',
  'plugins/integrations/stream-events.test.ts',
  'plugins/runs/read/list-runs.test.ts',
  'core/messaging/consumer/consumers.test.ts',
  'plugins/agents/reconcile/reconcile-agent.test.ts',
  'test/setting-files.test.ts',
]
// Those of the launcher wait for most of their time.
const slowFolders = ['test/contract', 'test/flows', 'launcher', 'plugins/runs', 'local', 'test', 'core', 'plugins']
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

/** Absolute paths of test files of `npm test` whose tests another step of `.ci/run` runs with more cases. */
export function findRepeatedTests(root: URL): readonly string[] {
  return [...withLongCounts, matrix].map((path) => fileURLToPath(new URL(path, root)))
}

/** Absolute paths of the test files of `npm run test:long`: whole files, and files whose tests it runs on PGlite. */
export function findLongTests(root: URL): { readonly whole: readonly string[]; readonly onPglite: readonly string[] } {
  const absolute = (path: string): string => fileURLToPath(new URL(path, root))
  return {
    whole: [...onlyLong, ...withLongCounts, ...withLongVariants].map(absolute),
    onPglite: findTests(root, []).filter((file) => readFileSync(file, 'utf8').includes(onBothDatabases)),
  }
}

function slowness(file: string): number {
  const known = slowest.findIndex((path) => normalize(path) === file)
  if (known !== -1) return known - slowest.length
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
