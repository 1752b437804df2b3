import assert from 'node:assert/strict'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { findTests } from './find-tests.ts'
import { needsOf } from './needs.ts'

const root = new URL('../..', import.meta.url)
const top = fileURLToPath(root)

test('files that only read sources need no bundle and no servers', () => {
  const files = ['test/architecture.test.ts', 'test/architecture/language.test.ts']
  assert.deepEqual(needsOf(top, files), { program: false, console: false, postgres: false, kube: false })
})

test('what a file imports through others is started once for several files', () => {
  const store = 'core/event-store/store.test.ts'
  const flow = 'local/start.test.ts'
  assert.equal(needsOf(top, [store, 'scripts/test/report.test.ts']).postgres, true)
  assert.equal(needsOf(top, [flow, 'scripts/test/report.test.ts']).program, true)
  assert.equal(needsOf(top, ['test/console/cost.test.ts', 'scripts/test/report.test.ts']).console, true)
  // A single file starts its own.
  assert.deepEqual(needsOf(top, [store]), { program: false, console: false, postgres: false, kube: false })
})

test('a whole run needs everything, without a look at its files', () => {
  const files = findTests(root, []).map((file) => file.slice(top.length))
  assert.deepEqual(needsOf('/nowhere/', files), { program: true, console: true, postgres: true, kube: true })
})
