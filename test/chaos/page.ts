import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'
import { toTable } from './table.ts'
import type { Form } from './case.ts'
import type { Ran } from './table.ts'

/** Last result of a case, stored so that one case can be repeated without the others. */
interface Kept {
  readonly ran: Ran
  readonly seed: number
  readonly form: Form
  readonly date: string
  readonly machine: string
}

const folder = join(import.meta.dirname, 'results')
const page = join(import.meta.dirname, '../../docs/operations/faults.md')

/** Stores the results of a run and renders `docs/operations/faults.md` from the newest result of each case. */
export function writePage(all: readonly Ran[], { seed, form }: { readonly seed: number; readonly form: Form }): void {
  mkdirSync(folder, { recursive: true })
  const machine = `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node.js ${process.version}, load average ${(loadavg()[0] ?? 0).toFixed(0)}`
  for (const ran of all) {
    const kept: Kept = { ran, seed, form, date: new Date().toISOString().slice(0, 10), machine }
    writeFileSync(join(folder, `${ran.name}.json`), `${JSON.stringify(kept, null, 2)}\n`)
  }
  const files = globSync('*.json', { cwd: folder }).toSorted()
  writeFileSync(page, toPage(files.map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Kept)))
}

function toPage(all: readonly Kept[]): string {
  const runs = all.map(
    ({ ran, seed, form, date, machine }) =>
      `- ${ran.name}: ${date}, seed ${seed}${form === 'usual' ? '' : `, ${form} form`}; ${machine}.`,
  )
  return `# Faults

Behaviour of the platform while its parts are killed, suspended and disconnected. Written by \`npm run chaos -- --write\`, never by hand.

- *faults*: number of injected faults. *lost*: promised and missing. *duplicated*: recorded more often than it happened. *unaccounted*:
  neither recorded nor counted as dropped. *recovery*: from the end of a fault until the platform worked again.
- \`npm run chaos -- <case>\` runs the cases with that prefix, \`--seed\` repeats a run, \`--count\` sets the number of faults.
  \`--short\` runs the form of the everyday suite, \`--full\` the counts of the requirements. \`--write\` stores the result here.

${toTable(all.map(({ ran }) => ran))}

## Runs

${runs.join('\n')}
`
}
