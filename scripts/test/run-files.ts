import { closeSync, openSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { t as tap } from 'tap'
import { tempFolder } from '../../test/harness/temp-folder.ts'
import { collectTests } from './file-result.ts'
import type { FileTests } from './file-result.ts'
import { limitMemory } from './memory-limit.ts'

/** Options of a run. */
export interface RunOptions {
  readonly root: string
  readonly concurrency: number
  /** Per test. */
  readonly timeoutMs: number
  /** Of each file's own process, in MB. */
  readonly memoryMb: number
  /** Runs only tests whose name matches this regular expression. */
  readonly name: string | undefined
  /** Coverage folder of each file; undefined without measurement. */
  readonly coverageOf?: ((file: number) => string) | undefined
}

/** Result of one file. */
export interface FileRun extends FileTests {
  readonly index: number
  readonly path: string
  readonly ms: number
  /** Exit code or signal of its process, unless 0. */
  readonly ended: number | string | undefined
  /** Output of the file and its children. */
  readonly output: string
}

/** A run of all files; `stop` ends every remaining process. */
export interface FilesRun {
  readonly done: Promise<void>
  stop(): void
}

// A file that starts platforms has about a dozen tests, each with its own limit.
const timeLimitsPerFile = 5
// The reporter writes to descriptor 4; standard output joins standard error in the file's log. NODE_OPTIONS is that of this process: tap
// adds loader hooks, which every child process would inherit (0.3 s each).
const redirect = 'exec 4>&1 1>&2; export NODE_OPTIONS="$1"; shift; exec "$@"'

/** Runs each file in a separate process under tap, and reports its result as soon as it has ended. */
export function runFiles(files: readonly string[], options: RunOptions, onFile: (run: FileRun) => void): FilesRun {
  const logs = tempFolder('logs')
  // Discards tap's own output, the TAP of all files: users need a line per file and the failures.
  tap.register()
  tap.resume()
  tap.setTimeout(0)
  tap.jobs = options.concurrency
  const running = new Set<NonNullable<ReturnType<typeof tap.spawn>['subtest']>>()
  const runOne = async (file: string, index: number): Promise<void> => {
    const path = relative(options.root, file)
    const log = join(logs.path, String(index))
    const descriptor = openSync(log, 'w')
    const command = [process.env.NODE_OPTIONS ?? '', process.execPath, ...flagsOf(options), file]
    const spawned = tap.spawn('/bin/sh', ['-c', redirect, 'sh', ...command], {
      name: path,
      cwd: options.root,
      env: environmentOf(options, index),
      buffered: true,
      timeout: options.timeoutMs * timeLimitsPerFile,
      stdio: ['ignore', 'pipe', descriptor],
    } as object)
    const { subtest } = spawned
    if (!subtest) throw new Error(`${path} cannot be started`)
    running.add(subtest)
    const memory = subtest.proc?.pid === undefined ? undefined : limitMemory(subtest.proc.pid, options.memoryMb)
    const found = collectTests(subtest.parser)
    await spawned
    running.delete(subtest)
    memory?.stop()
    closeSync(descriptor)
    const ended =
      memory?.exceeded() === true
        ? `killed, it held more than ${options.memoryMb} MB of memory`
        : (subtest.options.signal ?? (subtest.options.exitCode || undefined))
    onFile({
      ...found,
      announced: found.announced,
      index,
      path,
      ms: subtest.time,
      ended,
      output: readFileSync(log, 'utf8'),
    })
  }
  const done = Promise.all(files.map(runOne)).then(() => logs.remove())
  return { done, stop: () => running.forEach(({ proc }) => proc?.kill('SIGKILL')) }
}

// Code from the compile cache has coverage of whole functions only.
function environmentOf({ coverageOf }: RunOptions, index: number): NodeJS.ProcessEnv {
  if (coverageOf === undefined) return process.env
  return { ...process.env, NODE_V8_COVERAGE: coverageOf(index), NODE_DISABLE_COMPILE_CACHE: '1' }
}

function flagsOf({ timeoutMs, name }: RunOptions): string[] {
  const reporter = fileURLToPath(new URL('tap-reporter.mjs', import.meta.url))
  return [
    `--test-reporter=${reporter}`,
    `--test-timeout=${timeoutMs}`,
    // The timeout ends tests only; a file with an open handle would keep its process running.
    '--test-force-exit',
    ...(name === undefined ? [] : [`--test-name-pattern=${name}`]),
  ]
}
