import { readFileSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { slowest } from './find-tests.ts'

/** Test files of one process. */
export interface Group {
  readonly files: readonly string[]
  /** Runs only tests whose name matches this regular expression. */
  readonly name?: string | undefined
}

/**
 * Folders whose tests can share a process, and how many of their files do. Each further process imports the sources (2 s of CPU). A failed group is
 * repeated file by file, which takes long for files with a browser or a platform.
 */
const folders = new Map([
  ...['core', 'plugins', 'launcher', 'cli', 'schemas', 'local', 'scripts', 'bench'].map((one) => [one, 20] as const),
  ...['test/property', 'test/contract', 'test/plugins-off', 'test/retention'].map((one) => [one, 20] as const),
  // Files of `test` itself, and those of the rules: each reads all sources.
  ...['test', 'test/architecture'].map((one) => [one, 10] as const),
  ...['test/docs', 'test/console'].map((one) => [one, 10] as const),
])
// Files that use one platform share its process, whatever their folder.
const platforms = ['sharedPlatform(', 'sharedEmbedded(', 'sharedCluster(']
/**
 * State of the process that would affect the tests of other files: environment, signals, exit, mocked clocks, flags, and measurements of memory and
 * time. Also files that start whole platforms.
 */
const ofTheProcess =
  /process\.(?:env\.\w+ ?\??\??= |exit|chdir|on\(|once\(|cpuUsage|memoryUsage|resourceUsage|getActive)|delete process\.env|\bmock\.\w+\(|mock\.timers|node:v8|\bgc\(|startAll|startPlatform|startKube|EventLoop|eventLoop|p95Of|worker_threads|setGlobalDispatcher/
const filesOfPlatform = 10

/**
 * Groups files that can share a process, which starts once for them. Every other file is its own group; so are the slowest files, since the files of
 * a group run sequentially. What takes longest is first.
 */
export function groupTests(files: readonly string[], root: string): readonly Group[] {
  const groups: string[][] = []
  const open = new Map<string, string[]>()
  for (const file of files) {
    const share = shareOf(file, relative(root, file).replaceAll(sep, '/'))
    const group = share === undefined ? undefined : open.get(share)
    if (group !== undefined && group.length < (folders.get(share ?? '') ?? filesOfPlatform)) {
      group.push(file)
      continue
    }
    const started = [file]
    groups.push(started)
    if (share !== undefined) open.set(share, started)
  }
  return groups.toSorted((a, b) => rankOf(a, root) - rankOf(b, root)).map((group) => ({ files: group }))
}

// Shared processes take up to three minutes. The short ones fill what remains at the end.
function rankOf([first = '', ...more]: readonly string[], root: string): number {
  if (slowest.includes(relative(root, first).replaceAll(sep, '/'))) return 0
  return more.length > 0 ? 1 : 2
}

/** Key of the files that can share a process; undefined if a file needs its own. */
function shareOf(file: string, path: string): string | undefined {
  const text = readFileSync(file, 'utf8')
  const platform = path.startsWith('test/') ? platforms.find((one) => text.includes(one)) : undefined
  if (platform !== undefined) return platform
  if (slowest.includes(path) || ofTheProcess.test(text)) return undefined
  return folders.keys().find((one) => (one === 'test' ? /^test\/[^/]+$/.test(path) : path.startsWith(`${one}/`)))
}
