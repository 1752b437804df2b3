import { mkdirSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readArguments } from './read-arguments.ts'
import type { FileRun } from './test/file-result.ts'
import { openPassed } from './test/changed/passed.ts'
import { chosenFiles, chosenGroups } from './test/chosen-files.ts'
import type { Choice } from './test/chosen-files.ts'
import { needsOf } from './test/needs.ts'
import type { GateLimits } from './test/process-gate.ts'
import { createReport } from './test/report.ts'
import { runFiles } from './test/run-files.ts'
import { startSharedServers } from './test/shared-servers.ts'
import { packForTests, useMemoryForFiles, useProgram } from './test/surroundings.ts'

const options = {
  name: { type: 'string' },
  verbose: { type: 'boolean', default: false },
  // Stops at the first failure.
  bail: { type: 'boolean', default: false },
  // Time limit per test.
  timeout: { type: 'string', default: '180' },
  // Memory limit of each file's own process.
  memory: { type: 'string', default: '4096' },
  coverage: { type: 'boolean', default: false },
  long: { type: 'boolean', default: false },
  changed: { type: 'boolean', default: false },
  'rerun-failed': { type: 'boolean', default: false },
  'skip-repeated': { type: 'boolean', default: false },
  together: { type: 'boolean', default: false },
  alone: { type: 'boolean', default: false },
  concurrency: { type: 'string' },
  'when-idle': { type: 'boolean', default: false },
} as const

// A pause of the machine fails all concurrent tests, eight on two processors, and a slow machine twice as many. More failures indicate a defect of
// shared code.
const mostRerun = 16

const usage = `  npm test                                          everything
  npm test -- core/http                             the files of a folder, or one file
  npm test -- core/http/admission/limits.test.ts --name F4    tests whose name matches
  npm test -- --changed                             what has not passed since its sources changed

usage: npm test -- [path ...] [--name PATTERN] [--verbose] [--bail] [--coverage] [--long] [--changed] [--rerun-failed] [--skip-repeated] [--together | --alone] [--timeout SECONDS] [--memory MB] [--concurrency N | --when-idle]

  --name PATTERN      only tests whose name matches this regular expression
  --verbose           a line for each test, not only for those that fail
  --bail              stop at the first failure
  --coverage          print what of each folder was executed
  --long              the long tests, with full counts
  --changed           leave out files that passed at their first run, while nothing that they read has changed since: imports,
                      named files, packages, Node.js, servers, MESH_ variables. It can miss a file that is read by a composed name
  --rerun-failed      run failed files once more, alone, up to ${mostRerun}; a test that then passes is reported as FLAKY
  --skip-repeated     leave out files of which another step of .ci/run runs more cases
  --together          the named files in one process
  --alone             each file in its own process; without it, files that can share one do
  --timeout SECONDS   of each test (default 180)
  --memory MB         of a file's process, which is killed above it (default 4096)
  --concurrency N     test processes at once (default ${filesAtOnce()}, two for each processor where memory allows, and up to
                      ${2 * filesAtOnce()} while processors are idle)
  --when-idle         one test process, and more while processors are idle: beside other work

Exit code: 0 passed, 1 failed, 2 wrong arguments, 130 interrupted.
`

const { values, positionals } = readArguments(usage, options)

// A platform with all roles, API server and agents uses about 1.5 GB.
function filesAtOnce(): number {
  return Math.max(1, Math.min(2 * availableParallelism(), Math.floor(totalmem() / 2 ** 30 / 1.5)))
}

function limitsOf(given: string | undefined): GateLimits {
  if (values['when-idle']) return { least: 1, most: 2 * filesAtOnce() }
  const least = Number(given ?? filesAtOnce())
  return { least, most: given === undefined ? 2 * least : least }
}

const root = new URL('..', import.meta.url)
if (values.changed && (values.long || values.name !== undefined)) {
  console.error('--changed is of whole files of the everyday tests: leave out --long and --name')
  process.exit(2)
}
// Read by test/harness/counts.ts.
if (values.long) process.env.MESH_LONG = 'true'
const choice: Choice = {
  paths: positionals,
  name: values.name,
  long: values.long,
  skipRepeated: values['skip-repeated'],
  together: values.together,
  // Coverage is measured per file.
  alone: values.alone || values.coverage,
}
const found = chosenFiles(root, choice)
const passed =
  process.env.CI === undefined && values.name === undefined
    ? openPassed(fileURLToPath(root), process.env, found.map(fromRoot))
    : undefined
const wanted = values.changed ? found.filter((file) => passed?.isCurrent(fromRoot(file)) !== true) : found
if (values.changed)
  console.log(`${wanted.length} of ${found.length} files have no passed result for what they read now`)
const groups = chosenGroups(root, wanted, choice)
if (found.length === 0) {
  console.error(`no test file matches ${positionals.join(' ')}`)
  process.exit(1)
}

noteFields()
let interrupted = false
// Types are stripped and code is compiled once for all test files and their child processes.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/mesh/compiled', root))

useMemoryForFiles()
const needs = needsOf(fileURLToPath(root), groups.flatMap(({ files }) => files).map(fromRoot))
await useProgram(fileURLToPath(root), needs)
await packForTests(fileURLToPath(root), needs)
const servers = await startSharedServers(needs)
const report = createReport({
  verbose: values.verbose,
  print: (text) => console.log(text),
})
const coverage = values.coverage ? await measureCoverage() : undefined
const limits = {
  root: fileURLToPath(root),
  timeoutMs: Number(values.timeout) * 1000,
  memoryMb: Number(values.memory),
  coverageOf: coverage?.folderOf,
}
let running = runFiles(groups, { ...limits, atOnce: limitsOf(values.concurrency) }, (file) => {
  if (interrupted) return
  report.add(file)
  passed?.note(file)
  coverage?.add(file.index)
  if (values.bail && report.failed() > 0) end(1)
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end(130))
await running.done
passed?.save()
if (values['rerun-failed']) await rerunFailed()
if (coverage !== undefined) console.log(`\n${await coverage.table()}\n`)
const outcome = report.finish()
await servers.stop()
const exitCode = outcome.failed === 0 && (outcome.passed + outcome.skipped > 0 || wanted.length === 0) ? 0 : 1
exit(exitCode)

// Every process of a run records the fields of the responses that it checks, including platforms and launchers that a test starts.
function noteFields(): void {
  const folder = process.env.MESH_TEST_FIELDS
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  const preload = new URL('test/contract/response-fields/note-fields.mjs', root).href
  process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --import=${preload}`.trim()
}

async function rerunFailed(): Promise<void> {
  const failed = report.failedRuns()
  if (failed.length > mostRerun)
    return console.log(`\n${failed.length} files failed, more than ${mostRerun}: no second run`)
  for (const first of failed) {
    console.log(`\nsecond run, alone: ${first.path}`)
    const second: FileRun[] = []
    running = runFiles([first.group], { ...limits, atOnce: { least: 1, most: 1 } }, (run) => void second.push(run))
    await running.done
    if (!interrupted) report.addAgain(first, second)
  }
}

function fromRoot(file: string): string {
  return relative(fileURLToPath(root), file)
}

// Imported here, since it costs half a second.
async function measureCoverage() {
  const { createCoverage } = await import('./test/coverage.ts')
  return createCoverage(fileURLToPath(root), fileURLToPath(new URL('coverage', root)))
}

/** Stops running tests and this process. Processes started by an interrupted test exit with their parent. */
function end(code: number): void {
  interrupted = true
  running.stop()
  report.finish()
  exit(code)
}

// Not left to tap: on exit it counts files that were ended or succeeded in a second run as failed. It also treats a run without tests as a success.
function exit(code: number): never {
  process.once('exit', () => (process.exitCode = code))
  process.exit(code)
}
