import assert from 'node:assert/strict'
import test from 'node:test'
import { createAttemptSigner } from './grants.ts'

test('an attempt is signed once a minute, and again after a failure', async () => {
  let [now, signed] = [0, 0]
  const sign = createAttemptSigner(
    async () => {
      signed++
      if (signed === 2) throw new Error('no key')
      return `token ${signed}`
    },
    () => now,
  )
  assert.deepEqual([await sign(), await sign()], ['token 1', 'token 1'])
  now = 61_000
  await assert.rejects(sign(), /no key/)
  assert.deepEqual([await sign(), await sign()], ['token 3', 'token 3'])
})
