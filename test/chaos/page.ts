import { cpus, totalmem } from 'node:os'
import { toTable } from './table.ts'
import type { Ran } from './table.ts'

/** `docs/faults.md`: what the suite found the last time that it was run in full. */
export function toPage(all: readonly Ran[], { seed }: { readonly seed: number }): string {
  const machine = `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node.js ${process.version}`
  return `# Faults

What happens to the platform when its parts are killed, frozen and cut off. Written by \`npm run chaos -- --write\`, never by hand.

Run on ${new Date().toISOString().slice(0, 10)}: ${machine}; seed ${seed}.

- *faults*: how many were injected. *lost*: what was promised and is not there. *duplicated*: what is there more often than it happened.
  *unaccounted*: what is neither there nor counted as dropped. *recovery*: from the end of a fault until the work went on.
- \`npm run chaos -- <case>\` runs the cases whose names begin so, \`--seed\` repeats a run, \`--count\` sets the number of faults,
  \`--short\` is the form that the everyday suite runs.

${toTable(all)}
`
}
