import { globSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findTests } from './test/find-tests.ts'

// How many requirements each letter has: callers and cluster, sessions, audit, events and store, launcher, loopback, envelope,
// money, MCP, shares, cursors, input, fairness and bounds; M are measured facts that a test pins.
const counts = { K: 7, D: 6, A: 12, O: 8, P: 5, H: 5, E: 5, B: 7, 'M-': 7, S: 5, C: 2, X: 9, F: 10, M: 15 }

// A requirement, or a finding of a review: `SEC4`, `PODA1`.
const idPattern = String.raw`(?:SEC|PODS|PODA|CON|UXH|UXM|UXL|[A-Z]-?)\d{1,2}`
const heads = `${idPattern}(?:[\\s,/+&]+${idPattern})*`

interface Proof {
  readonly file: string
  readonly name: string
}

// Prints each requirement id with the tests whose names begin with it and the cases of the fault suite that list it, then the ids that no test names. `--json` for machines.
const root = new URL('..', import.meta.url)
const proofs = collect(findTests(root, []).concat(findTests(root, ['test/pods'])))
for (const file of globSync('test/chaos/cases/*.ts', { cwd: root }))
  addCase(file, readFileSync(new URL(file, root), 'utf8'))
const uncovered = allIds().filter((id) => !proofs.has(id))
console.log(
  process.argv.includes('--json') ? JSON.stringify({ proofs: Object.fromEntries(proofs), uncovered }) : asText(),
)

function collect(files: readonly string[]): Map<string, Proof[]> {
  const found = new Map<string, Proof[]>()
  for (const file of files) {
    for (const name of testNames(readFileSync(file, 'utf8'))) {
      for (const id of idsOf(name)) {
        const proof = { file: relative(fileURLToPath(root), file), name }
        found.set(id, [...(found.get(id) ?? []), proof])
      }
    }
  }
  return new Map([...found].toSorted(([a], [b]) => a.localeCompare(b, 'en', { numeric: true })))
}

// Any literal that begins with an id: tests are also declared by tables and by helpers of their own, once for each adapter.
function testNames(text: string): string[] {
  const literal = new RegExp(String.raw`(['"\`])(${heads}:(?:(?!\1)[^\\\n]|\\.)*)\1`, 'g')
  return [...text.matchAll(literal)].map(([, , name = '']) => name)
}

/** A case of the fault suite names its requirements in a list. */
function addCase(file: string, text: string): void {
  const name = /title:\s*(['"`])((?:(?!\1)[^\\]|\\.)*)\1/.exec(text)?.[2] ?? file
  const ids = /\bids: \[([^\]]*)\]/.exec(text)?.[1] ?? ''
  for (const [id] of ids.matchAll(/[A-Z]-?\d{1,2}/g)) proofs.set(id, [...(proofs.get(id) ?? []), { file, name }])
}

// A name may prove several: `K1, D1: ...` or `A4/A10: ...`.
function idsOf(name: string): string[] {
  const head = new RegExp(`^(${heads}):`).exec(name)?.[1]
  return head === undefined ? [] : head.split(/[\s,/+&]+/)
}

function allIds(): string[] {
  return Object.entries(counts).flatMap(([letter, count]) =>
    Array.from({ length: count }, (_, at) => `${letter}${at + 1}`),
  )
}

function asText(): string {
  const lines = [...proofs].flatMap(([id, tests]) => [id, ...tests.map(({ file, name }) => `  ${file}: ${name}`)])
  return [...lines, '', `${proofs.size} requirements have a test. Without one: ${uncovered.join(' ') || 'none'}`].join(
    '\n',
  )
}
