import { globSync, mkdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { figureOf, isMet } from './tools/bench.ts'
import type { Bench } from './tools/bench.ts'
import type { Measured } from './tools/rounds.ts'

const folder = import.meta.dirname
const results = join(folder, 'results')
const { positionals } = parseArgs({ allowPositionals: true })
const files = globSync('**/*.bench.ts', { cwd: folder }).toSorted()
const wanted = files.filter((file) => positionals.length === 0 || positionals.includes(nameOf(file)))
if (wanted.length === 0) {
  process.stderr.write(`no bench of that name; there are: ${files.map(nameOf).join(', ')}\n`)
  process.exit(2)
}
mkdirSync(results, { recursive: true })
for (const file of wanted) {
  const { bench } = (await import(join(folder, file))) as { bench: Bench }
  process.stderr.write(`${nameOf(file)}: ${bench.title}\n`)
  report(nameOf(file), bench, await bench.measure())
}

function nameOf(file: string): string {
  return basename(file, '.bench.ts')
}

function report(name: string, bench: Bench, measured: Measured): void {
  const goals = bench.goals(figureOf(measured.figures)).map((goal) => ({ ...goal, met: isMet(goal) }))
  const machine = { cores: cpus().length, model: cpus()[0]?.model, memoryMiB: Math.round(totalmem() / 2 ** 20) }
  const result = { name, title: bench.title, date: new Date().toISOString(), machine, node: process.version }
  writeFileSync(join(results, `${name}.json`), `${JSON.stringify({ ...result, ...measured, goals }, null, 2)}\n`)
  process.stdout.write(`\n### ${name}: ${bench.title}\n\n${toTable(measured)}\n`)
  for (const { text, value, limit, met } of goals)
    process.stdout.write(`- ${met ? 'met' : 'MISSED'}: ${text}: ${value.toPrecision(3)} (goal ${limit})\n`)
}

function toTable({ figures, kept, dropped, busy }: Measured): string {
  const round = (value: number): string => String(Number(value.toPrecision(3)))
  const rows = figures.map(
    (one) =>
      `| ${one.candidate} | ${one.figure} | ${round(one.median)} | ${round(one.q1)} - ${round(one.q3)} | ${one.rounds} |`,
  )
  const note = `${kept} rounds kept, ${dropped} dropped${busy ? '; the machine was busy: the quietest were kept' : ''}.`
  return ['| what | figure | median | quartiles | rounds |', '|---|---|---|---|---|', ...rows, '', note].join('\n')
}
