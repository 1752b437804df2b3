import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { faultsOf, requirementsPage } from './page.ts'
import { findProofs } from './proofs.ts'
import { readTable } from './table.ts'
import { findUsedIds, idsIn } from './used-ids.ts'

const table = [
  { id: 'K1', group: 'Cluster', text: 'Calls carry the token.' },
  { id: 'B1', group: 'Money', text: 'Costs are reserved.', untested: 'Not built.' },
]
const proof = { file: 'core/a.test.ts', name: 'K1: it does' }

test('an id in use that the table lacks is a fault, and so is one without test and reason, or with both', () => {
  const proofs = new Map([['K1', [proof]]])
  assert.deepEqual(faultsOf(table, proofs, new Map([['K1', 'core/a.ts']])), [])
  assert.deepEqual(faultsOf(table, proofs, new Map([['K9', 'core/a.ts']])), ['core/a.ts names K9, which is not in it'])
  assert.deepEqual(faultsOf(table, new Map(), new Map()), ['K1 has no test and no reason under `untested`'])
  const both = new Map([...proofs, ['B1', [proof]]] as const)
  assert.deepEqual(faultsOf(table, both, new Map()), ['B1 has a test and a reason under `untested`'])
})

test('the page has a row per id, with links to its tests or the reason', () => {
  const page = requirementsPage(table, new Map([['K1', [proof, { ...proof, name: 'K1: and more' }]]]))
  assert.match(
    page,
    /## Cluster\n[^]*K1 \| Calls carry the token\. \| \[core\/a\.test\.ts\]\(\.\.\/\.\.\/core\/a\.test\.ts\) \|\n/,
  )
  assert.match(page, /## Money\n[^]*B1 \| Costs are reserved\. \| none\. Not built\. \|\n/)
})

test('ids are words of comments, names and documents', () => {
  assert.deepEqual(idsIn('(A4) and A4/A10: SEC8, M-2; PODA15.'), ['A4', 'A4', 'A10', 'SEC8', 'M-2', 'PODA15'])
  assert.deepEqual(idsIn('A0 v1.A4 A4b #A4B5C6 PODA A4-x A4.ts Z0 x=A4'), [])
})

test('ids are found in sources and in names of tests, also behind the name of an adapter', (t) => {
  const { path, remove } = tempFolder('requirements')
  t.after(remove)
  mkdirSync(join(path, 'core'))
  mkdirSync(join(path, 'test', 'pods'), { recursive: true })
  mkdirSync(join(path, 'test', 'chaos', 'cases'), { recursive: true })
  writeFileSync(join(path, 'core', 'a.ts'), '// Refused (K5).\n')
  writeFileSync(join(path, 'core', 'a.test.ts'), "test('K1, D1: x', f)\ntest(`${name}: F10: y`, f)\n")
  writeFileSync(join(path, 'test', 'chaos', 'cases', '01.ts'), "export const x = { title: 'kills', ids: ['O6'] }\n")
  const root = pathToFileURL(`${path}/`)
  assert.deepEqual([...findProofs(root).keys()], ['K1', 'D1', 'F10', 'O6'])
  assert.deepEqual(findProofs(root).get('O6'), [{ file: 'test/chaos/cases/01.ts', name: 'kills' }])
  assert.equal(findUsedIds(root).get('K5'), 'core/a.ts')
})

test('the shipped table is readable, and its command refuses an id that does not exist', () => {
  assert.ok(readTable().length > 200)
  const run = (id: string): string =>
    execFileSync(process.execPath, [fileURLToPath(new URL('../requirements.ts', import.meta.url)), id], {
      encoding: 'utf8',
      stdio: 'pipe',
    })
  assert.match(run('K1'), /^K1: .*\n {2}\S+: .*K1/)
  assert.throws(() => run('K99\u2028'), /No requirement has the id "K99/)
})
