import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import test from 'node:test'
import { findLongTests, findTests } from './find-tests.ts'

const root = new URL('../../', import.meta.url)

test('every file of the long tests exists', () => {
  const { whole, onPglite } = findLongTests(root)
  assert.deepEqual(
    [...whole, ...onPglite].filter((file) => !existsSync(file)),
    [],
  )
})

test('files whose tests run on PostgreSQL in npm test run on PGlite in test:long', () => {
  const onOne = findTests(root, []).filter((file) => / of pluginAdapters\)/.test(readFileSync(file, 'utf8')))
  assert.deepEqual(onOne.toSorted(), findLongTests(root).onPglite.toSorted())
})

test('npm test leaves out the package, pods and chaos, which run when they are named', () => {
  const everyday = findTests(root, []).join('\n')
  for (const path of ['test/pack/pack.test.ts', 'test/pods/install.test.ts', 'test/chaos/chaos.test.ts']) {
    assert.ok(!everyday.includes(path), path)
    assert.deepEqual(findTests(root, [path]), [new URL(path, root).pathname])
  }
})
