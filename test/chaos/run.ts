import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { readArguments } from '../../scripts/read-arguments.ts'
import type { ChaosCase } from './case.ts'
import { createScope } from './closing-scope.ts'
import { writePage } from './page.ts'
import { runCase } from './run-case.ts'
import { passed, toTable } from './table.ts'
import type { Ran } from './table.ts'

const usage = `usage: npm run chaos -- [CASE ...] [--seed N] [--count N] [--short | --full] [--write]
  CASE      cases whose names begin so (default: all)
  --seed N  repeats the faults of an earlier run
  --count N faults of each case
  --short, --full   fewer faults, or the full counts of the requirements
  --write   writes docs/operations/faults.md
`
const { values, positionals } = readArguments(usage, {
  seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
  count: { type: 'string' },
  short: { type: 'boolean', default: false },
  full: { type: 'boolean', default: false },
  write: { type: 'boolean', default: false },
})
const folder = join(import.meta.dirname, 'cases')
const files = globSync('*.ts', { cwd: folder }).toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
const wanted = files.filter((file) => positionals.length === 0 || positionals.some((name) => file.startsWith(name)))
if (wanted.length === 0) {
  process.stderr.write(`no case of that name; there are: ${files.map((file) => basename(file, '.ts')).join(', ')}\n`)
  process.exit(2)
}

const seed = Number(values.seed)
const count = values.count === undefined ? undefined : Number(values.count)
const form = values.short ? 'short' : values.full ? 'full' : 'usual'
const whole = createScope()
const all: Ran[] = []
// Many servers end with this process, each by its own listener.
process.setMaxListeners(100)
process.stderr.write(`seed ${seed}\n`)
const cases = await Promise.all(
  wanted.map(async (file) => {
    const { chaosCase } = (await import(join(folder, file))) as { chaosCase: ChaosCase }
    return { name: basename(file, '.ts'), chaosCase }
  }),
)
if (form === 'full' && count === undefined) printMinutes(cases)
for (const { name, chaosCase } of cases) {
  process.stderr.write(`${name}: ${chaosCase.title}\n`)
  const ran = await runCase(name, chaosCase, { seed, count, form, whole })
  process.stderr.write(`${toTable([ran])}\n\n`)
  all.push(ran)
}
await whole.close()
process.stdout.write(`\n${toTable(all)}\n\nseed ${seed}\n`)
if (values.write) writePage(all, { seed, form })
// A remaining handle of a stopped server must not delay the exit.
process.exit(all.every(passed) ? 0 : 1)

// As measured on two idle cores; a busy machine takes longer.
function printMinutes(of: readonly { readonly name: string; readonly chaosCase: ChaosCase }[]): void {
  for (const { name, chaosCase } of of)
    process.stderr.write(`${name}: ${chaosCase.counts.full} faults, about ${chaosCase.minutes} minutes\n`)
  const sum = of.reduce((minutes, { chaosCase }) => minutes + chaosCase.minutes, 0)
  process.stderr.write(`about ${Math.ceil(sum)} minutes in all\n`)
}
