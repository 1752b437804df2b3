import { globSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { readMachine } from './report/machine.ts'
import { writePage } from './report/write-page.ts'
import { toResult } from './report/result.ts'
import { toSection } from './report/section.ts'
import type { Bench } from './tools/bench.ts'
import { closeProcessScope } from './tools/scope.ts'

const usage = `usage: npm run bench -- [--write] [--stored] [NAME ...]
  --write   writes docs/operations/performance.md: results in bench/results, and those of the page that are newer or alone
  --stored  measures nothing
BENCH_ROUNDS=n measures n rounds of everything, for a look.
runs and model-calls: BENCH_FORM=PostgreSQL, PGlite or 'process per role' measures one form, BENCH_RUNS=n and BENCH_CALLS=n set the number
of operations, BENCH_STATEMENTS=1 lists the statements per operation.
model-proxy: BENCH_PEERS=folder adds nginx and the proxies in the folder (bench/model-proxy/peers.ts), BENCH_BEFORE=folder
the launcher of another working copy.
model-routes and key-rotation: BENCH_FORM as well. BENCH_CALLS=n sets the calls of a round, also of consented-tools, and BENCH_SECONDS=n the
seconds of the load of key-rotation.
agent-messages: BENCH_PEERS=folder adds two sidecars of Dapr (file daprd).
evaluations and dataset-growth: BENCH_CASES=n sets the number of cases; run-export: BENCH_EXPORTED=n that of runs.
agent-tools: BENCH_PEERS=folder adds a proxy of FastMCP from its virtual environment (pip install fastmcp),
BENCH_SESSION_SECONDS=n keeps sessions with the server of tools for n seconds.
`
const folder = import.meta.dirname
const results = join(folder, 'results')
const nameOf = (file: string): string => basename(file, '.bench.ts')
const files = globSync('**/*.bench.ts', { cwd: folder }).toSorted()
const options = { write: { type: 'boolean' }, stored: { type: 'boolean' }, help: { type: 'boolean' } } as const
const { values, positionals } = parseArgs({ options, allowPositionals: true })
const unknown = positionals.filter((name) => !files.map(nameOf).includes(name))
if (unknown.length > 0 || values.help === true) {
  const problem = unknown.length === 0 ? '' : `no bench is called ${unknown.join(', ')}\n`
  process.stderr.write(`${problem}${usage}Benches: ${files.map(nameOf).join(', ')}\n`)
  process.exit(unknown.length === 0 ? 0 : 2)
}
mkdirSync(results, { recursive: true })
const wanted = files.filter((file) => positionals.length === 0 || positionals.includes(nameOf(file)))
// Exit handlers end the servers and remove the folders of a bench that is stopped.
process.once('SIGTERM', () => process.exit(143)).once('SIGINT', () => process.exit(130))
const failed: string[] = []
try {
  for (const file of values.stored === true ? [] : wanted)
    await measure(file).catch((error: unknown) => {
      // The results of the others, an hour of measuring, are kept.
      console.error(error)
      failed.push(nameOf(file))
    })
} finally {
  await closeProcessScope()
}
if (values.write === true) writePage(results, files.map(nameOf))
if (failed.length > 0) {
  process.stderr.write(`not measured: ${failed.join(', ')}\n`)
  process.exitCode = 1
}

async function measure(file: string): Promise<void> {
  const { bench } = (await import(join(folder, file))) as { bench: Bench }
  process.stderr.write(`${nameOf(file)}: ${bench.title}\n`)
  const result = toResult(nameOf(file), bench, await bench.measure(), readMachine())
  writeFileSync(join(results, `${result.name}.json`), `${JSON.stringify(result, null, 2)}\n`)
  process.stdout.write(`\n${toSection(result)}\n`)
}
