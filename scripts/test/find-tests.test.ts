import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import test from 'node:test'
import { findLongTests, findTests } from './find-tests.ts'

const root = new URL('../../', import.meta.url)

test('every file of the long tests exists', () => {
  assert.deepEqual(
    findLongTests(root).filter((file) => !existsSync(file)),
    [],
  )
})

test('npm test leaves out the package, pods and chaos, which run when they are named', () => {
  const everyday = findTests(root, []).join('\n')
  for (const path of ['test/pack/pack.test.ts', 'test/pods/install.test.ts', 'test/chaos/chaos.test.ts']) {
    assert.ok(!everyday.includes(path), path)
    assert.deepEqual(findTests(root, [path]), [new URL(path, root).pathname])
  }
})
