import assert from 'node:assert/strict'
import test from 'node:test'
import { Type } from 'typebox'
import { time } from '#schemas/api/common.ts'
import { good, route, start } from '../testing/hardened.ts'

const NUL = '\\u0000'
const LONE = '\\ud800'

test('SEC6, F5: a body with U+0000 or a lone surrogate is a 400 that names the field', async (t) => {
  const { app, upstream } = await start(t, [route({ method: 'POST', url: '/any', body: Type.Unknown() })])
  const post = async (payload: string) => {
    const headers = { ...good, 'content-type': 'application/json' }
    const answer = await app.inject({ method: 'POST', url: '/api/any', headers, payload })
    const { code, errors } = answer.json<{ code?: string; errors?: readonly { pointer: string }[] }>()
    return answer.statusCode === 200 ? 200 : [answer.statusCode, code, errors?.[0]?.pointer]
  }
  upstream.length = 0
  for (const bad of [NUL, LONE, '\\udc00', `a${LONE}b`, '\\udc00\\ud800', '\\uD83D x']) {
    assert.deepEqual(await post(`{"input":"${bad}"}`), [400, 'invalid_body', '/input'], bad)
    assert.deepEqual(await post(`{"a":[1,{"b/c":"${bad}"}]}`), [400, 'invalid_body', '/a/1/b~1c'], bad)
    assert.deepEqual(await post(`{"labels":{"k${bad}":"v"}}`), [400, 'invalid_body', '/labels'], bad)
  }
  assert.ok(
    upstream.every((question) => question === 'as'),
    'no request but the username look-up',
  )
  // A surrogate pair is one character, and an escaped backslash starts no escape.
  for (const fine of ['\\ud83d\\ude00', '\\\\u0000', '😀', '\\u0001', '\\uFFFD'])
    assert.equal(await post(`{"input":"${fine}"}`), 200, fine)
})

test('SEC6, F5: a query with U+0000 or a time that the store cannot hold is a 400 that names the parameter', async (t) => {
  const query = Type.Object({ q: Type.Optional(Type.String()), since: Type.Optional(time) })
  const { app } = await start(t, [route({ query })])
  const ask = async (search: string) => {
    const answer = await app.inject({ url: `/api/things?${search}`, headers: good })
    const body = answer.json<{ errors?: readonly { pointer: string }[] }>()
    return answer.statusCode === 200 ? 200 : [answer.statusCode, body.errors?.[0]?.pointer]
  }
  assert.deepEqual(await ask('q=a%00b'), [400, '?q'])
  assert.deepEqual(await ask('q=%00'), [400, '?q'])
  assert.deepEqual(await ask('q=%ed%a0%80'), [400, undefined], 'a lone surrogate is not UTF-8')
  for (const bad of [
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00%2b01:00',
    '9999-12-31T23:59:59-23:59',
    '2016-12-31T23:59:60Z',
    '2026-02-31T00:00:00Z',
    'soon',
  ])
    assert.deepEqual(await ask(`since=${bad}`), [400, '?since'], bad)
  for (const fine of ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z', '2026-01-01T00:00:00%2b01:00'])
    assert.deepEqual(await ask(`since=${fine}`), 200, fine)
})
