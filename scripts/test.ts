import { availableParallelism, totalmem } from 'node:os'
import { run } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { findTests } from './test/find-tests.ts'
import { report } from './test/report.ts'
import { startSharedServers } from './test/shared-servers.ts'

const options = {
  help: { type: 'boolean', short: 'h', default: false },
  name: { type: 'string' },
  verbose: { type: 'boolean', default: false },
  // Stops at the first failure.
  bail: { type: 'boolean', default: false },
  // Of each test.
  timeout: { type: 'string', default: '180' },
  concurrency: { type: 'string', default: String(filesAtOnce()) },
} as const

const usage = `  npm test                                          everything
  npm test -- core/http                             the files of a folder, or one file
  npm test -- core/http/limits.test.ts --name F4    tests whose name matches

usage: npm test -- [path ...] [--name PATTERN] [--verbose] [--bail] [--timeout SECONDS] [--concurrency N]

  --name PATTERN      only tests whose name matches this regular expression
  --verbose           a line for each test, not only for those that fail
  --bail              stop at the first failure
  --timeout SECONDS   of each test (default 180)
  --concurrency N     test files at once (default ${filesAtOnce()}: two for each processor, where memory allows)

Exit code: 0 passed, 1 failed, 2 wrong arguments, 130 interrupted.
`

const { values, positionals } = readArguments()
if (values.help) {
  process.stdout.write(usage)
  process.exit(0)
}

// A file waits for processes about half of its time. A whole platform of roles, API server and agents takes about 1.5 GB.
function filesAtOnce(): number {
  return Math.max(1, Math.min(2 * availableParallelism(), Math.floor(totalmem() / 2 ** 30 / 1.5)))
}

function readArguments() {
  try {
    return parseArgs({ allowPositionals: true, options })
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
    process.exit(2)
  }
}
const root = new URL('..', import.meta.url)
const files = findTests(root, positionals)
if (files.length === 0) {
  console.error(`no test file matches ${positionals.join(' ')}`)
  process.exit(1)
}

const interrupted = new AbortController()
const bailed = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort())

// Types are stripped and code is compiled once for all test files and what they start.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/mesh/compiled', root))

// One file starts its own servers lazily; only several files gain from sharing.
const servers = files.length > 1 ? await startSharedServers() : undefined
const stream = run({
  files,
  cwd: root.pathname,
  concurrency: Number(values.concurrency),
  timeout: Number(values.timeout) * 1000,
  // The time limit ends tests only: a file that leaves a handle open would keep its process for ever.
  forceExit: true,
  execArgv: ['--import', new URL('test/flush-on-exit.ts', import.meta.url).href],
  signal: AbortSignal.any([interrupted.signal, bailed.signal]),
  ...(values.name === undefined ? {} : { testNamePatterns: [values.name] }),
})
const outcome = await report(stream, { root, verbose: values.verbose, onFailure: () => values.bail && bail() })
await servers?.stop()
if (interrupted.signal.aborted) process.exitCode = 130
else process.exitCode = outcome.failed === 0 && outcome.passed + outcome.skipped > 0 ? 0 : 1

/** Ends at once: what a test that was cut off had started may hold its pipes, and the report would wait for it. */
function bail(): void {
  bailed.abort()
  setTimeout(() => {
    console.log('0 passed, 1 failed')
    process.exit(1)
  }, 1_000)
}
