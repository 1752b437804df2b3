import assert from 'node:assert/strict'
import test from 'node:test'
import { buildServer } from '#core/http/testing/build-server.ts'
import { createOneTimeCode, landingRoutes } from './landing.ts'

const page = { url: 'http://127.0.0.1:8080', tokensFile: '/x/tokens.json', kubeconfig: '/x/kubeconfig' }

test('SEC21: a body of /session that is no code is refused by name; a code is good once', async (t) => {
  const code = createOneTimeCode('the-token')
  const { app, lines } = await buildServer(t, [{ endpoints: [], routes: landingRoutes(code, page) }])
  const post = async (body: string) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await app.inject({ method: 'POST', url: '/api/session', headers, body })
    return { status: answer.statusCode, body: answer.json<{ token?: string; errors?: { pointer: string }[] }>() }
  }
  const refused = [
    ['{"code":{"toString":1}}', '/code'],
    ['{"code":[]}', '/code'],
    ['{"code":null}', '/code'],
    ['{"code":1}', '/code'],
    [`{"code":"${'x'.repeat(10_000)}"}`, '/code'],
    ['{}', '/code'],
    [`{"code":"x","more":1}`, '/more'],
    ['[]', ''],
    ['null', ''],
    ['""', ''],
  ] as const
  for (const [body, pointer] of refused) {
    const answer = await post(body)
    assert.equal(answer.status, 400, body)
    assert.equal(answer.body.errors?.[0]?.pointer, pointer, body)
  }
  assert.equal((await post('{"code":"wrong"}')).status, 404)
  assert.deepEqual((await post(JSON.stringify({ code: code.code }))).body, { token: 'the-token' })
  assert.equal((await post(JSON.stringify({ code: code.code }))).status, 404)
  assert.ok(!lines.some((line) => line.includes('failed unexpectedly')))
})

test('SEC24: the policy of the page lets neither a base nor a form lead elsewhere', async (t) => {
  const routes = landingRoutes(createOneTimeCode('x'), page)
  const { app } = await buildServer(t, [{ endpoints: [], routes }])
  const policy = String((await app.inject({ url: '/api/' })).headers['content-security-policy'])
  for (const directive of ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "default-src 'none'"])
    assert.ok(policy.includes(directive), policy)
})
