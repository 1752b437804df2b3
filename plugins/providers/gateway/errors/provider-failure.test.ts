import assert from 'node:assert/strict'
import test from 'node:test'
import { fromResponse } from './provider-failure.ts'

const provider = { namespace: 'default', name: 'llm' }

function failureOf(status: number, body: string, hasKey = true): readonly [number, string, string] {
  const failure = fromResponse(provider, { status, retryAfter: undefined, body: Buffer.from(body), hasKey })
  return [failure.status, failure.code, failure.message]
}

test('R2-UX-6: a refused key names the provider, its status and what to do, and quotes nothing of the provider', () => {
  // As FastChat 0.2 and OpenAI respond to a wrong key.
  const bodies = ['{"detail":{"error":{"message":"","code":"invalid_api_key"}}}', '{"error":{"message":"sk-canary"}}']
  const what = 'refused the key of this route (401): put a key that it accepts into its Secret.'
  for (const body of bodies)
    assert.deepEqual(failureOf(401, body), [502, 'provider_refused_key', `Provider default/llm ${what}`])
  assert.match(failureOf(403, '', false)[2], /refused a call without a key \(403\): the ModelProvider has no secretRef/)
})

test('R2-UX-6: a refused request has the message of the provider, and says whose it is', () => {
  const refused = 'Provider default/llm refused the request'
  const cases: readonly (readonly [number, string, readonly [number, string]])[] = [
    // LiteLLM 1 without a database: a wrong key.
    [400, '{"error":{"message":"No connected db.","code":"400"}}', [400, `${refused} (400): No connected db.`]],
    // FastChat 0.2: a model that it does not have.
    [
      400,
      '{"object":"error","message":"Only a allowed now","code":40301}',
      [400, `${refused} (400): Only a allowed now`],
    ],
    [404, '{"error":{"message":"no model m"}}', [400, `${refused} (404): no model m`]],
    [422, `{"error":{"message":"${'x'.repeat(2000)}"}}`, [422, `${refused} (422): ${'x'.repeat(1000)}`]],
  ]
  for (const [status, body, [given, message]] of cases)
    assert.deepEqual(failureOf(status, body), [given, 'provider_refused', message])
  for (const body of ['', 'null', '[]', '7', '<html>', '{"error":{"message":7}}', '{"error":null}', '{"message":""}'])
    assert.deepEqual(failureOf(400, body), [400, 'provider_refused', `${refused} (400).`], body)
})
