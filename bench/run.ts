import { globSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { readMachine } from './report/machine.ts'
import { toPage } from './report/page.ts'
import { readResults, toResult } from './report/result.ts'
import type { Result } from './report/result.ts'
import { toSection } from './report/section.ts'
import type { Bench } from './tools/bench.ts'
import { root } from './tools/platform.ts'

const usage = `usage: npm run bench -- [--write] [--stored] [NAME ...]
  --write   writes docs/operations/performance.md from what bench/results holds then
  --stored  measures nothing
BENCH_ROUNDS=n measures n rounds of everything, for a look.
runs and model-calls: BENCH_FORM=PostgreSQL or PGlite measures one form, BENCH_RUNS=n and BENCH_CALLS=n set the number of operations,
BENCH_STATEMENTS=1 lists the statements per operation.
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
for (const file of values.stored === true ? [] : wanted) {
  const result = await measure(file)
  writeFileSync(join(results, `${result.name}.json`), `${JSON.stringify(result, null, 2)}\n`)
  process.stdout.write(`\n${toSection(result)}\n`)
}
if (values.write === true)
  writeFileSync(join(root, 'docs', 'operations', 'performance.md'), toPage(readResults(results, files.map(nameOf))))

async function measure(file: string): Promise<Result> {
  const { bench } = (await import(join(folder, file))) as { bench: Bench }
  process.stderr.write(`${nameOf(file)}: ${bench.title}\n`)
  return toResult(nameOf(file), bench, await bench.measure(), readMachine())
}
