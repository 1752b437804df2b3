import { readFileSync } from 'node:fs'
import { relative, sep } from 'node:path'

/** Folders whose tests can share a process. Flows share the platform of `sharedEmbedded`. */
const folders = [
  'test/flows',
  'core',
  'plugins',
  'launcher',
  'schemas',
  'local',
  'scripts',
  'bench',
  'test/property',
  'test/docs',
]
/**
 * What belongs to the process, and would reach or include the tests of other files: environment, signals, exit, mocked clocks, flags,
 * figures of memory and time, and processes that a test starts, whose start it measures or which it ends.
 */
const ofTheProcess =
  /process\.(?:env\.\w+ ?\??\??= |exit|chdir|on\(|once\(|cpuUsage|memoryUsage|resourceUsage|getActive)|delete process\.env|\bmock\.\w+\(|mock\.timers|\bspawn|\bfork\(|\bexecFile|\blaunch\(|node:v8|\bgc\(|startProcess|startAll|startPlatform|EventLoop|eventLoop|p95|worker_threads|setGlobalDispatcher/
// A failed group is repeated file by file.
const most = 10

/** Groups files of a folder that can share a process, which starts once for them; every other file is a group of its own. */
export function groupTests(files: readonly string[], root: string): readonly (readonly string[])[] {
  const groups: string[][] = []
  const open = new Map<string, string[]>()
  for (const file of files) {
    const path = relative(root, file).replaceAll(sep, '/')
    const folder = folders.find((one) => path.startsWith(`${one}/`))
    const isShared = folder !== undefined && !ofTheProcess.test(readFileSync(file, 'utf8'))
    const group = isShared ? open.get(folder) : undefined
    if (group !== undefined && group.length < most) {
      group.push(file)
      continue
    }
    const started = [file]
    groups.push(started)
    if (isShared) open.set(folder, started)
  }
  return groups
}
