import assert from 'node:assert/strict'
import test from 'node:test'
import { secretValueOf } from './secret-value.ts'

test('F5: a key of a Secret is one of its own, whatever its name', () => {
  const metadata = { name: 'keys' }
  const secret = { metadata, data: JSON.parse('{"token":"aGk=","empty":"","__proto__":"eA=="}') as unknown }
  assert.deepEqual(secretValueOf(secret, 'token'), Buffer.from('hi'))
  assert.deepEqual(secretValueOf(secret, '__proto__'), Buffer.from('x'))
  assert.deepEqual(secretValueOf(secret, 'empty'), Buffer.alloc(0))
  for (const key of ['constructor', 'toString', 'other']) assert.equal(secretValueOf(secret, key), undefined, key)
  assert.equal(secretValueOf({ metadata, data: {} }, '__proto__'), undefined)
  assert.equal(secretValueOf({ metadata }, 'constructor'), undefined)
})
