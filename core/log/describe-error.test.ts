import assert from 'node:assert/strict'
import test from 'node:test'
import { describeError } from './describe-error.ts'

function fails(message: string, fields: object = {}): Error {
  return Object.assign(new TypeError(message), fields)
}

test('M7: an error is described by class, code, reason and place, never by its message', () => {
  const secret = 'private words\n    at privateWords (/input/secret.ts:1:1)'
  const described = describeError(fails(secret, { code: '23505' }))
  assert.deepEqual(Object.keys(described), ['error', 'code', 'at'])
  assert.deepEqual([described.error, described.code], ['TypeError', '23505'])
  assert.match(described.at ?? '', /^fails describe-error\.test\.ts:\d+$/)
  assert.doesNotMatch(JSON.stringify(described), /private|secret/)
  const refused = describeError(fails(secret, { status: 409, reason: 'Conflict' }))
  assert.deepEqual([refused.code, refused.reason], ['409', 'Conflict'])
})

test('M7: codes and reasons that are no word, and values that are no error, are left out', () => {
  const odd = describeError(fails('x', { code: 'a code with spaces', reason: 'admission "secret" denied' }))
  assert.deepEqual([odd.code, odd.reason], [undefined, undefined])
  assert.equal(describeError(fails('x', { reason: 'a'.repeat(41) })).reason, undefined)
  assert.deepEqual(describeError('private words'), { error: 'unknown' })
})
