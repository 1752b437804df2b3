import assert from 'node:assert/strict'
import test from 'node:test'
import type { Outcome } from '../endpoint/extension-points.ts'
import { REJECTED } from '../testing/build-server.ts'
import { createOneTimeCodes } from '../sessions/one-time-codes.ts'
import { startSessions, toCookie } from '../sessions/testing/session-server.ts'

const personas = { admin: 'good-token', other: 'other-token' }

/** Reported outcomes, without trace and id. */
function shown(outcomes: Outcome[]): readonly unknown[] {
  return outcomes.splice(0).map(({ traceparent, name, namespace, ...rest }) => {
    assert.match(traceparent, /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/)
    assert.equal(namespace, undefined)
    return { ...rest, hasId: name !== undefined }
  })
}

const ofTest = { actor: 'test', resourceKind: 'Session', outcome: 'success', hasId: true } as const

test('the begin and the ends of a session are reported with its user, way and id', async (t) => {
  const codes = createOneTimeCodes()
  const { send, signIn, outcomes } = await startSessions(t, { ways: { codes, personas } })
  const first = toCookie((await signIn()).cookies)
  assert.deepEqual(shown(outcomes), [{ ...ofTest, action: 'sign-in', way: 'token' }])
  // The session before ends with a sign-in of the same browser.
  const second = await send('POST', '/session', { body: { code: codes.issue('good-token') }, cookie: first })
  const [ended, begun] = outcomes
  assert.notEqual(ended?.name, begun?.name)
  assert.deepEqual(shown(outcomes), [
    { ...ofTest, action: 'sign-out' },
    { ...ofTest, action: 'sign-in', way: 'code' },
  ])
  const switched = await send('PUT', '/session/persona', {
    body: { persona: 'other' },
    cookie: toCookie(second.cookies),
  })
  assert.deepEqual(shown(outcomes), [{ ...ofTest, action: 'switch-persona', persona: 'other' }])
  const cookie = toCookie(switched.cookies)
  assert.equal((await send('DELETE', '/session', { cookie })).status, 204)
  assert.deepEqual(shown(outcomes), [{ ...ofTest, action: 'sign-out' }])
  assert.equal((await send('DELETE', '/session', { cookie })).status, 204)
  assert.equal((await send('DELETE', '/session/all', { cookie })).status, 401)
  assert.deepEqual(shown(outcomes), [], 'there is no session to end')
  const last = toCookie((await signIn('other-token')).cookies)
  assert.equal((await send('DELETE', '/session/all', { cookie: last })).status, 204)
  assert.deepEqual(shown(outcomes), [
    { ...ofTest, actor: 'other', action: 'sign-in', way: 'token' },
    { ...ofTest, actor: 'other', action: 'sign-out-everywhere' },
  ])
})

test('refused sign-ins are reported once a minute for each reason, without a value of their sender', async (t) => {
  const { app, send, signIn, outcomes } = await startSessions(t, { ways: { codes: createOneTimeCodes() } })
  const refused = { actor: undefined, action: 'sign-in', resourceKind: 'Session', outcome: 'denied', hasId: false }
  const canaries = Array.from({ length: 200 }, (_, n) => `canary-${n}`)
  for (const code of canaries) assert.equal((await send('POST', '/session', { body: { code } })).status, 404)
  for (let n = 0; n < 20; n++) assert.equal((await signIn(REJECTED)).status, 401)
  assert.equal((await signIn('a'.repeat(20_000))).status, 413)
  for (const body of [{}, { token: 'a b' }, { token: 1 }, { code: 'a', token: 'b' }])
    assert.equal((await send('POST', '/session', { body })).status, 400)
  assert.doesNotMatch(JSON.stringify(outcomes), /canary|rejected-token|aaaa/)
  assert.deepEqual(shown(outcomes), [
    { ...refused, way: 'code', code: 'not_found', count: 1 },
    { ...refused, way: 'token', code: 'unauthenticated', count: 1 },
    { ...refused, way: 'token', code: 'payload_too_large', count: 1 },
  ])
  await app.close()
  assert.deepEqual(shown(outcomes), [
    { ...refused, way: 'code', code: 'not_found', count: 199 },
    { ...refused, way: 'token', code: 'unauthenticated', count: 19 },
  ])
})

test('a cluster that is away is an error of the sign-in, which is reported', async (t) => {
  const { signIn, outcomes } = await startSessions(t, {
    cluster: {
      as: async () => {
        throw new Error('away')
      },
    },
  })
  assert.equal((await signIn()).status, 500)
  assert.deepEqual(
    outcomes.map(({ outcome, code, way }) => [outcome, code, way]),
    [['error', 'internal_error', 'token']],
  )
})
