import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { tempFolder } from '#test/harness/temp-folder.ts'
import type { createSummary, SummaryLine } from './summary.ts'

interface SummaryModule {
  readonly createSummary: typeof createSummary
}

// A query makes it another module, as in another process.
const load = (run: number) => import(`./summary.ts?run=${run}`) as Promise<SummaryModule>

test('the report of a second run replaces that of the first, with its mismatches', async (t) => {
  const folder = tempFolder('summary')
  t.after(folder.remove)
  const file = join(folder.path, 'lines')
  process.env.MESH_AUTHZ_REPORT = file
  t.after(() => delete process.env.MESH_AUTHZ_REPORT)
  const linesOf = () =>
    readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as SummaryLine)

  const first = (await load(1)).createSummary('embedded')
  await first.hold('reads', () => Promise.reject(new Error('another answer')))
  assert.throws(() => first.settle(), /1 mismatches: Error: another answer/)
  first.add('writes', 'cells')
  first.settle()
  assert.deepEqual(
    linesOf().map(({ category, mismatches }) => [category, mismatches]),
    [
      ['reads', 1],
      ['writes', 0],
    ],
  )

  const second = (await load(2)).createSummary('embedded')
  second.add('reads', 'cells')
  second.settle()
  assert.deepEqual(linesOf(), [{ form: 'embedded', category: 'reads', columns: { cells: 1 }, mismatches: 0 }])
})
