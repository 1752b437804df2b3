import assert from 'node:assert/strict'
import test from 'node:test'
import { stableHash } from './stable-hash.ts'

test('a hash is valid in a DNS label and independent of key order', () => {
  assert.match(stableHash({ a: 1, b: [2] }), /^[a-z2-7]{10}$/)
  assert.equal(stableHash({ a: 1, b: 2 }), stableHash({ b: 2, a: 1 }))
  assert.notEqual(stableHash({ a: [1, 2] }), stableHash({ a: [2, 1] }))
})
