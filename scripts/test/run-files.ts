import { closeSync, openSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { t as tap } from 'tap'
import { tempFolder } from '../../test/harness/temp-folder.ts'
import { collectTests } from './file-result.ts'
import { createProcessGate } from './process-gate.ts'
import type { GateLimits, ProcessGate } from './process-gate.ts'
import { splitGroup } from './split-group.ts'
import type { FileRun } from './file-result.ts'
import type { Group } from './group-tests.ts'
import { limitMemory } from './memory-limit.ts'

/** Options of a run. */
export interface RunOptions {
  readonly root: string
  /** Limits of concurrent processes. */
  readonly atOnce: GateLimits
  /** Time limit per test. */
  readonly timeoutMs: number
  /** Memory limit of each file's own process, in MB. */
  readonly memoryMb: number
  /** Coverage folder of each file; undefined without measurement. */
  readonly coverageOf?: ((file: number) => string) | undefined
}

/** A run of all files; `stop` ends every remaining process. */
export interface FilesRun {
  readonly done: Promise<void>
  stop(): void
}

// Its own limit of 30 s begins at the import, and shared servers can take that long to start on a busy machine.
tap.setTimeout(0)

// A file that starts platforms has about a dozen tests, each with its own limit.
const timeLimitsPerFile = 5
// The reporter writes to descriptor 4; standard output joins standard error in the file's log. NODE_OPTIONS is that of this process: tap
// adds loader hooks, which every child process would inherit (0.3 s each).
const redirect = 'exec 4>&1 1>&2; export NODE_OPTIONS="$1"; shift; exec "$@"'

const severalFiles = fileURLToPath(new URL('several-files.mjs', import.meta.url))

/** Runs each group of files in a process under tap, and reports the result of each file as soon as its process has ended. */
export function runFiles(groups: readonly Group[], options: RunOptions, onFile: (run: FileRun) => void): FilesRun {
  const logs = tempFolder('logs')
  // Discards tap's own output, the TAP of all files: users need a line per file and the failures.
  tap.register()
  tap.resume()
  // The gate limits processes, not tap.
  tap.jobs = Number.MAX_SAFE_INTEGER
  const gate = createProcessGate(options.atOnce)
  const scope: Scope = { options, gate, logs: logs.path, running: new Set(), started: 0 }
  const done = Promise.all(groups.map((group) => runGroup(group, scope, onFile))).then(() => logs.remove())
  return { done, stop: () => scope.running.forEach(({ proc }) => proc?.kill('SIGKILL')) }
}

interface Scope {
  readonly options: RunOptions
  readonly gate: ProcessGate
  readonly logs: string
  readonly running: Set<NonNullable<ReturnType<typeof tap.spawn>['subtest']>>
  /** Number of processes so far. */
  started: number
}

async function runGroup(group: Group, scope: Scope, onFile: (run: FileRun) => void): Promise<void> {
  const { options } = scope
  const { files, name } = group
  const together = await runProcess(group, scope)
  if (files.length === 1) return onFile(together)
  const found = splitGroup(together, files, options.root)
  if (found !== undefined) return found.forEach(onFile)
  // The process ended early or with an error outside of the tests: each file is run alone to find the cause.
  const runs = await Promise.all(files.map((file) => runProcess({ files: [file], name }, scope)))
  const isExplained = runs.some(({ tests, ended }) => ended !== undefined || tests.some(({ ok }) => !ok))
  runs.forEach(onFile)
  if (!isExplained)
    onFile({ ...together, path: `${files.length} files together: ${runs.map(({ path }) => path).join(' ')}` })
}

async function runProcess(group: Group, scope: Scope): Promise<FileRun> {
  await scope.gate.enter()
  try {
    return await runAdmitted(group, scope)
  } finally {
    scope.gate.leave()
  }
}

async function runAdmitted(group: Group, scope: Scope): Promise<FileRun> {
  const { files, name } = group
  const { options } = scope
  const index = scope.started++
  const path = files.map((file) => relative(options.root, file)).join(' ')
  const log = join(scope.logs, String(index))
  const descriptor = openSync(log, 'w')
  const command = [process.env.NODE_OPTIONS ?? '', process.execPath, ...flagsOf(options, name), ...programOf(files)]
  const spawned = tap.spawn('/bin/sh', ['-c', redirect, 'sh', ...command], {
    name: `${index} ${path}`,
    cwd: options.root,
    env: environmentOf(options, index),
    buffered: true,
    timeout: options.timeoutMs * Math.max(timeLimitsPerFile, files.length),
    stdio: ['ignore', 'pipe', descriptor],
  } as object)
  const { subtest } = spawned
  if (!subtest) throw new Error(`${path} cannot be started`)
  scope.running.add(subtest)
  const memory = subtest.proc?.pid === undefined ? undefined : limitMemory(subtest.proc.pid, options.memoryMb)
  const found = collectTests(subtest.parser)
  await spawned
  scope.running.delete(subtest)
  memory?.stop()
  closeSync(descriptor)
  const ended =
    memory?.exceeded() === true
      ? `killed, it held more than ${options.memoryMb} MB of memory`
      : (subtest.options.signal ?? (subtest.options.exitCode || undefined))
  const output = readFileSync(log, 'utf8')
  const filtered = name !== undefined
  const { announced, cpuMs } = found
  return { tests: found.tests, announced, cpuMs, filtered, index, group, path, ms: subtest.time, ended, output }
}

function programOf(files: readonly string[]): readonly string[] {
  const [only = ''] = files
  return files.length === 1 ? [only] : [severalFiles, ...files]
}

// Code from the compile cache has coverage of whole functions only.
function environmentOf({ coverageOf }: RunOptions, index: number): NodeJS.ProcessEnv {
  if (coverageOf === undefined) return process.env
  return { ...process.env, NODE_V8_COVERAGE: coverageOf(index), NODE_DISABLE_COMPILE_CACHE: '1' }
}

function flagsOf({ timeoutMs }: RunOptions, name: string | undefined): string[] {
  const reporter = fileURLToPath(new URL('tap-reporter.mjs', import.meta.url))
  return [
    `--test-reporter=${reporter}`,
    `--test-timeout=${timeoutMs}`,
    // The timeout ends tests only; a file with an open handle would keep its process running.
    '--test-force-exit',
    ...(name === undefined ? [] : [`--test-name-pattern=${name}`]),
  ]
}
