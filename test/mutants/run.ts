import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readArguments } from '../../scripts/read-arguments.ts'
import { needsOf } from '../../scripts/test/needs.ts'
import { startSharedServers } from '../../scripts/test/shared-servers.ts'
import { createCheckout, mutated } from './checkout.ts'
import type { Checkout } from './checkout.ts'
import { all } from './list.ts'
import type { Mutant } from './mutant.ts'
import { sampled } from './sample.ts'
import { tryTests } from './try.ts'
import type { Verdict } from './try.ts'

const usage = `usage: npm run test:mutants -- [PART ...] [--sample N] [--seed S] [--concurrency N]
Applies each listed defect to a copy of the tree and runs its tests. Exits 1 when one survives, or does not apply.
  PART              of the name or the path of a defect (default: all)
  --sample N        as many, drawn by --seed (default 1)
  --concurrency N   defects at once (default: two, or one on one processor)
`
const { values, positionals } = readArguments(usage, {
  sample: { type: 'string' },
  seed: { type: 'string', default: '1' },
  concurrency: { type: 'string', default: String(Math.min(2, availableParallelism())) },
})
const named = all.filter(
  ({ name, file }) => positionals.length === 0 || positionals.some((part) => `${file} ${name}`.includes(part)),
)
const wanted = values.sample === undefined ? named : sampled(named, Number(values.sample), Number(values.seed))
if (wanted.length === 0) {
  console.error(`no mutant matches ${positionals.join(' ')}`)
  process.exit(2)
}

const reasons: Readonly<Record<Verdict | 'unfit', string>> = {
  killed: 'killed',
  survived: 'SURVIVED: its tests pass with the defect',
  broken: 'BROKEN: its tests do not load with the defect, or there are none',
  unfit: 'UNFIT: its tests fail without the defect',
}

const root = fileURLToPath(new URL('../..', import.meta.url))
// Before any test: a listed text that is not in the code is an error of the list.
for (const mutant of wanted) mutated(readFileSync(join(root, mutant.file), 'utf8'), mutant)
// Each test runs twice, so that even one has its servers twice.
const tests = [...new Set(wanted.flatMap((mutant) => mutant.tests))]
const servers = await startSharedServers(needsOf(root, [...tests, ...tests]))
const bad: string[] = []
try {
  const queue = [...wanted]
  await Promise.all(Array.from({ length: Number(values.concurrency) }, () => work(queue)))
} finally {
  await servers.stop()
}
console.log(`${wanted.length} mutants, ${wanted.length - bad.length} killed, ${bad.length} not`)
for (const line of bad) console.log(`  ${line}`)
process.exitCode = bad.length === 0 ? 0 : 1

async function work(queue: Mutant[]): Promise<void> {
  const checkout = createCheckout(root)
  const healthy = new Map<string, Promise<boolean>>()
  try {
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift())
      report(mutant, await tryMutant(checkout, mutant, healthy))
  } finally {
    checkout.remove()
  }
}

/** The tests must pass without the defect first; failing tests would kill every mutant. */
async function tryMutant(
  checkout: Checkout,
  mutant: Mutant,
  healthy: Map<string, Promise<boolean>>,
): Promise<Verdict | 'unfit'> {
  const key = JSON.stringify([mutant.tests, mutant.only])
  const known = healthy.get(key) ?? tryTests(checkout, mutant).then(({ verdict }) => verdict === 'survived')
  healthy.set(key, known)
  if (!(await known)) return 'unfit'
  const restore = checkout.apply(mutant)
  try {
    return (await tryTests(checkout, mutant)).verdict
  } finally {
    restore()
  }
}

function report({ name, file }: Mutant, verdict: Verdict | 'unfit'): void {
  console.log(`${reasons[verdict].padEnd(9)} ${file}: ${name}`)
  if (verdict !== 'killed') bad.push(`${reasons[verdict]}: ${file}: ${name}`)
}
