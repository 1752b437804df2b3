import assert from 'node:assert/strict'
import test from 'node:test'
import { Type } from 'typebox'
import { Fail } from '#core/errors/domain-error.ts'
import { authorized, good, listed, named, route, start } from '../testing/hardened.ts'

test('D3: a missing, empty, malformed or duplicated bearer is the same 401, and nothing is asked upstream', async (t) => {
  const { raw, upstream } = await start(t, [named, listed])
  const heads = [
    'GET /api/things HTTP/1.1\nHost: x',
    'GET /api/things HTTP/1.1\nHost: x\nAuthorization:',
    'GET /api/things HTTP/1.1\nHost: x\nAuthorization: Bearer ',
    'GET /api/things HTTP/1.1\nHost: x\nAuthorization: Bearer a b',
    'GET /api/things HTTP/1.1\nHost: x\nAuthorization: Bearer nothing!',
    'GET /api/things HTTP/1.1\nHost: x\nAuthorization: Basic Z29vZDp0b2tlbg==',
    'GET /api/things HTTP/1.1\nHost: x\nAuthorization: good-token',
    'GET /api/things HTTP/1.1\nHost: x\nAuthorization: Bearer good-token\nAuthorization: Bearer good-token',
    'GET /api/things HTTP/1.1\nHost: x\nAuthorization: Bearer good-token\nauthorization: Bearer other-token',
    'GET /api/unknown HTTP/1.1\nHost: x',
    'GET /api HTTP/1.1\nHost: x',
    'GET //api/things HTTP/1.1\nHost: x',
    'GET /api/%zz HTTP/1.1\nHost: x',
    'PROPFIND /api/things HTTP/1.1\nHost: x',
    // D5: a token in a query string, with or without a valid header
    ...['access_token', 'token', 'Authorization', 'acce%73s_token', 'api_key'].map(
      (name) => `GET /api/things?${name}=secret-canary HTTP/1.1\n${authorized}`,
    ),
  ]
  const answers = await Promise.all(heads.map((head) => raw(head)))
  const bodies = new Set(answers.map((answer) => answer.split('\r\n\r\n')[1]))
  assert.deepEqual(
    [...bodies],
    [
      '{"type":"urn:mesh:error:unauthenticated","title":"A valid bearer token is required.","status":401,"detail":"A valid bearer token is required.","code":"unauthenticated","retryable":false}\n',
    ],
  )
  for (const answer of answers) assert.match(answer, /^HTTP\/1.1 401 [\s\S]*www-authenticate: Bearer/i)
  assert.deepEqual(upstream, [])
})

test('D5: a token in a query string is in no log line', async (t) => {
  const { raw, lines } = await start(t, [listed])
  await raw(`GET /api/things?access_token=secret-canary HTTP/1.1\n${authorized}`)
  await raw(`GET /api/things?q=secret-canary HTTP/1.1\n${authorized}`)
  assert.ok(lines.length >= 2)
  assert.doesNotMatch(lines.join(''), /canary|good-token/)
})

test('D3: exactly the share is public under /api, and an unknown share is the bare 404', async (t) => {
  const share = route({
    url: '/shared/runs/:token',
    authz: { kind: 'public', shownBy: 'shareToken' },
    params: Type.Object({ token: Type.String() }),
    handle: async ({ params }) => {
      if (JSON.stringify(params) !== '{"token":"good"}') throw new Fail('not_found')
      return {}
    },
  })
  const { raw, status } = await start(t, [share, listed])
  assert.equal(await status('GET /api/shared/runs/good HTTP/1.1\nHost: x'), 200)
  const bodyOf = async (head: string) => (await raw(head)).split('\r\n\r\n')[1]
  const unknown = await bodyOf('GET /api/shared/runs/bad HTTP/1.1\nHost: x')
  assert.equal(
    unknown,
    '{"type":"urn:mesh:error:not_found","title":"Not found.","status":404,"detail":"Not found.","code":"not_found","retryable":false}\n',
  )
  assert.equal(unknown, await bodyOf(`GET /api/nothing HTTP/1.1\n${authorized}`))
  assert.equal(unknown, await bodyOf('GET /nothing HTTP/1.1\nHost: x'))
  assert.equal(await status('GET /api/shared HTTP/1.1\nHost: x'), 401)
})

test('D6: every answer carries the security headers', async (t) => {
  const { app } = await start(t, [listed])
  for (const url of ['/api/things', '/api/nothing', '/nothing', '/api/things?x=1']) {
    const { headers } = await app.inject({ url, headers: good })
    assert.equal(
      headers['content-security-policy'],
      "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    )
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin')
    assert.match(String(headers['strict-transport-security']), /max-age/)
    assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/)
  }
})
