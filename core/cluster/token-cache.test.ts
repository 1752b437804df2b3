import assert from 'node:assert/strict'
import test from 'node:test'
import { createTokenCache } from './token-cache.ts'
import { msUntilExpiry } from './token-claims.ts'

const encode = (text: string): string => Buffer.from(text).toString('base64url')
const jwt = (claims: object): string => `${encode('{}')}.${encode(JSON.stringify(claims))}.signature`

test('D1: an authentication is cached until the token expires, at most for the lifetime of the cache', async () => {
  const clock = { now: 0 }
  const startedAt = 1_800_000_000_000
  const cached = createTokenCache<number>({ ttlMs: 60_000, now: () => clock.now, date: () => startedAt + clock.now })
  let asked = 0
  const ask = (token: string) => cached(token, 'gateway', async () => ++asked)
  const short = jwt({ exp: startedAt / 1000 + 10 })
  const long = jwt({ exp: startedAt / 1000 + 3_600 })
  assert.deepEqual([await ask(short), await ask(long), await ask('opaque')], [1, 2, 3])
  clock.now = 9_999
  assert.deepEqual([await ask(short), await ask(long), await ask('opaque')], [1, 2, 3])
  clock.now = 10_001
  assert.deepEqual([await ask(short), await ask(short), await ask(long), await ask('opaque')], [4, 5, 2, 3])
  clock.now = 60_001
  assert.deepEqual([await ask(long), await ask('opaque')], [6, 7])
})

test('D1: a claim that is no time does not extend the cache or fail the request', () => {
  const at = 1_800_000_000_000
  for (const token of ['', 'a.b', 'a.b.c', '..', 'a.b.c.d', `a.${encode('null')}.c`, `a.${encode('[')}.c`, `a.\0.c`])
    assert.equal(msUntilExpiry(token, at), Infinity, token)
  for (const exp of ['1', null, {}, [1]]) assert.equal(msUntilExpiry(jwt({ exp }), at), Infinity)
  assert.equal(msUntilExpiry(jwt({ exp: -1 }), at), 0)
  assert.equal(msUntilExpiry(jwt({ exp: 1e300 }), at), 1e303)
  assert.equal(msUntilExpiry(`a.${encode('{"exp":1e999}')}.c`, at), Infinity)
})

test('concurrent questions about one token share a request, and a failure is not cached', async () => {
  const cached = createTokenCache<string>({ ttlMs: 60_000, now: () => 0 })
  let asked = 0
  const fail = async (): Promise<string> => {
    asked++
    throw new Error('the cluster does not answer')
  }
  const both = await Promise.allSettled([cached('a', '', fail), cached('a', '', fail)])
  assert.deepEqual([asked, both.every(({ status }) => status === 'rejected')], [1, true])
  assert.equal(await cached('a', '', async () => 'known'), 'known')
  assert.equal(await cached('a', 'other', async () => 'other audience'), 'other audience')
})

test('the number of cached tokens is bounded', async () => {
  const cached = createTokenCache<number>({ ttlMs: 60_000, now: () => 0, max: 2 })
  let asked = 0
  const ask = (token: string) => cached(token, '', async () => ++asked)
  for (const token of ['a', 'b', 'c']) await ask(token)
  assert.deepEqual([await ask('c'), await ask('b'), await ask('a')], [3, 2, 4])
})
