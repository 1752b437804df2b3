import assert from 'node:assert/strict'
import test from 'node:test'
import { describeError } from './describe-error.ts'
import { LauncherRefused } from './launcher-client.ts'

function fails(message: string, code?: string): Error {
  return Object.assign(new TypeError(message), code === undefined ? {} : { code })
}

test('an error is described by class, code and place, never by what it says', () => {
  const secret = 'private words\n    at privateWords (/input/secret.ts:1:1)'
  const described = describeError(fails(secret, '23505'))
  assert.deepEqual(Object.keys(described), ['error', 'code', 'at'])
  assert.deepEqual([described.error, described.code], ['TypeError', '23505'])
  assert.match(described.at ?? '', /^fails describe-error\.test\.ts:\d+$/)
  assert.doesNotMatch(JSON.stringify(described), /private|secret/)
  assert.equal(describeError(fails('x', 'a code with spaces')).code, undefined)
  assert.equal(describeError(new LauncherRefused(502)).code, '502')
  assert.deepEqual(describeError('private words'), { error: 'unknown' })
})
