import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { findLongTests, findRepeatedTests, findTests } from './find-tests.ts'

const root = new URL('../../', import.meta.url)

test('every file of the long tests exists', () => {
  const { whole, onPglite } = findLongTests(root)
  assert.deepEqual(
    [...whole, ...onPglite].filter((file) => !existsSync(file)),
    [],
  )
})

test('files whose tests run on PostgreSQL in npm test run on PGlite in test:long', () => {
  const { onPglite } = findLongTests(root)
  const files = onPglite.map((file) => relative(fileURLToPath(root), file))
  for (const file of ['plugins/budgets/store/claim.test.ts', 'plugins/runs/worker/worker.test.ts'])
    assert.ok(files.includes(file), file)
  assert.ok(!files.includes('launcher/launcher.test.ts'))
})

test('what --skip-repeated leaves out runs in npm test, and in another step of .ci/run', () => {
  const everyday = findTests(root, [])
  const long = findLongTests(root).whole
  const repeated = findRepeatedTests(root)
  assert.deepEqual(
    repeated.filter((file) => !everyday.includes(file)),
    [],
  )
  const inMatrix = repeated.filter((file) => !long.includes(file))
  const authz = readFileSync(new URL('test/contract/routes/run.ts', root), 'utf8')
  assert.deepEqual(
    inMatrix.filter((file) => !authz.includes(relative(fileURLToPath(root), file))),
    [],
  )
  const check = readFileSync(new URL('.ci/run', root), 'utf8')
  for (const step of ['npm test -- --rerun-failed --skip-repeated', 'npm run test:authz', 'npm run test:long'])
    assert.match(check, new RegExp(`^(?:step|begin) .* ${step}`, 'm'))
  // A test that a long run skips would run nowhere.
  for (const file of repeated.filter((one) => long.includes(one)))
    assert.doesNotMatch(readFileSync(file, 'utf8'), /\blong\b.*skip|skip.*\blong\b|!long\b/, file)
})

test('npm test leaves out the package, pods and chaos, which run when they are named', () => {
  const everyday = findTests(root, []).join('\n')
  for (const path of ['test/pack/pack.test.ts', 'test/pods/install.test.ts', 'test/chaos/chaos.test.ts']) {
    assert.ok(!everyday.includes(path), path)
    assert.deepEqual(findTests(root, [path]), [new URL(path, root).pathname])
  }
})
