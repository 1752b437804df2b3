import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { ModelCallFailed } from './model-call-error.ts'
import { createRoleModels } from './role-models.ts'
import type { PaidChat } from './role-models.ts'

const payer = { kind: 'namespace', namespace: 'team', uid: 'u-1' } as const
const call: PaidChat = { route: 'team/judge', messages: [{ role: 'user', content: 'Hi' }], maxOutputTokens: 8 }
const completion = (text: unknown, more: object = {}) => ({
  choices: [{ message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 4 },
  ...more,
})

async function open(t: TestContext) {
  const received: { headers: IncomingHttpHeaders; url: string | undefined; body: unknown }[] = []
  let respond = (response: ServerResponse): void => void response.end(JSON.stringify(completion('Hello')))
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      received.push({ headers: request.headers, url: request.url, body: JSON.parse(Buffer.concat(chunks).toString()) })
      respond(response)
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const gatewayUrl = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const models = createRoleModels({ gatewayUrl, bearer: async () => 'token-1' })
  const answer = (status: number, body: unknown, headers: Record<string, string> = {}) => {
    respond = (response) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    }
  }
  const problemOf = async (more: Partial<PaidChat> = {}) => {
    try {
      await models.paidBy(payer).chat({ ...call, ...more })
      return 'none'
    } catch (error) {
      assert.ok(error instanceof ModelCallFailed, String(error))
      assert.ok(!error.message.includes('canary'))
      return `${error.reason}${error.retryable ? ', retryable' : ''}${error.retryAfterMs ?? ''}`
    }
  }
  return { models, received, answer, problemOf, hang: () => (respond = () => undefined) }
}

test('a chat call of a role names its payer, its run and its bound', async (t) => {
  const { models, received } = await open(t)
  const schema = { name: 'score', schema: { type: 'object' } }
  const result = await models.paidBy(payer, 'run-1').chat({ ...call, temperature: 0, schema })
  assert.deepEqual(result, {
    text: 'Hello',
    finishReason: 'stop',
    usage: { inputTokens: 3, outputTokens: 4 },
    cost: null,
  })
  const [{ headers, url, body } = assert.fail()] = received
  assert.deepEqual(
    [url, headers.authorization, headers['x-mesh-payer'], headers['x-mesh-run-id'], body],
    [
      '/v1/chat/completions',
      'Bearer token-1',
      'namespace/team/u-1',
      'run-1',
      {
        model: 'team/judge',
        messages: call.messages,
        max_tokens: 8,
        temperature: 0,
        response_format: { type: 'json_schema', json_schema: schema },
      },
    ],
  )
})

test('a failed chat call has a reason of a closed list, and quotes nothing', async (t) => {
  const { answer, problemOf, hang } = await open(t)
  const error = (code: string) => ({ error: { code, message: 'canary' } })
  const cases: readonly [number, unknown, string, Record<string, string>?][] = [
    [400, error('invalid_body'), 'invalid_request'],
    [400, error('canary'), 'refused'],
    [401, error('unauthenticated'), 'refused'],
    [402, error('budget_exceeded'), 'budget_exceeded, retryable'],
    [422, error('price_unknown'), 'price_unknown'],
    [403, error('guardrail_blocked'), 'guardrail_blocked'],
    [502, error('guardrail_blocked'), 'failed, retryable'],
    [404, 'canary', 'unknown_route'],
    [429, error('rate_limited'), 'throttled, retryable2000', { 'retry-after': '2' }],
    [500, '', 'failed, retryable'],
    [302, '', 'refused', { location: 'http://canary.invalid/' }],
  ]
  for (const [status, body, expected, headers] of cases) {
    answer(status, body, headers)
    assert.equal(await problemOf(), expected, String(status))
  }
  for (const body of ['', 'null', '[]', '{}', '{"choices":{}}', completion(7), completion(null), { choices: [] }]) {
    answer(200, body)
    assert.equal(await problemOf(), 'invalid_answer', JSON.stringify(body))
  }
  answer(200, completion('x'.repeat(5 * 1024 * 1024)))
  assert.notEqual(await problemOf(), 'none')
  hang()
  assert.equal(await problemOf({ timeoutMs: 100 }), 'timeout, retryable')
  const end = new AbortController()
  setTimeout(() => end.abort(new Error('stopped')), 50)
  await assert.rejects(problemOf({ signal: end.signal }), /stopped/)
})

test('usage of another shape is no usage', async (t) => {
  const { answer, models } = await open(t)
  for (const usage of [undefined, null, 7, { prompt_tokens: -1, completion_tokens: 1 }, { prompt_tokens: 1e300 }]) {
    answer(200, completion('a', { usage }))
    assert.equal((await models.paidBy(payer).chat(call)).usage, null)
  }
})

test('a role without an identity calls no model', async () => {
  const models = createRoleModels({ gatewayUrl: () => 'http://127.0.0.1:1', bearer: undefined })
  await assert.rejects(models.paidBy(payer).chat(call), /no_identity/)
})
