import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findTests } from './test/find-tests.ts'

// How many requirements each letter has: callers and cluster, sessions, audit, events and store, launcher, loopback, envelope,
// money, MCP, shares, cursors, input; M are measured facts that a test pins.
const counts = { K: 7, D: 6, A: 12, O: 8, P: 5, H: 5, E: 5, B: 7, 'M-': 7, S: 5, C: 2, X: 9, M: 15 }

interface Proof {
  readonly file: string
  readonly name: string
}

// Prints each requirement id with the tests whose names begin with it, then the ids that no test names. `--json` for machines.
const root = new URL('..', import.meta.url)
const proofs = collect(findTests(root, []).concat(findTests(root, ['test/pods'])))
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

function testNames(text: string): string[] {
  const call = /\b(?:test|it|describe|suite)(?:\.\w+)?\(\s*(['"`])((?:(?!\1)[^\\]|\\.)*)\1/g
  return [...text.matchAll(call)].map(([, , name = '']) => name)
}

// A name may prove several: `K1, D1: ...` or `A4/A10: ...`.
function idsOf(name: string): string[] {
  const head = /^((?:[A-Z]-?\d{1,2})(?:\s*[,/+&]\s*(?:[A-Z]-?\d{1,2}))*)\s*:/.exec(name)?.[1]
  return head === undefined ? [] : head.split(/\s*[,/+&]\s*/)
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
