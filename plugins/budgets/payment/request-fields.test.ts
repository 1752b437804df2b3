import assert from 'node:assert/strict'
import test from 'node:test'
import type { ServerResponse } from 'node:http'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { addRoute } from '#plugins/providers/testing/gateway.ts'
import { needs } from '#test/harness/find-server.ts'
import { startPaidGateway } from '../testing/role-calls.ts'

const servers = needs('kube-apiserver', 'etcd', 'postgres', 'initdb')
const messages = [{ role: 'user' as const, content: 'Hi.' }]
const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }
const message = {
  id: 'm',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'Hi.' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 3, output_tokens: 4 },
}
const tool = { type: 'function' as const, function: { name: 'f', parameters: { type: 'object' } } }

function answerAny(response: ServerResponse): void {
  const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }]
  const data = [{ object: 'embedding', index: 0, embedding: [0.1] }]
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(
    JSON.stringify({
      ...message,
      object: 'chat.completion',
      created: 1,
      choices,
      data,
      usage: { ...usage, ...message.usage },
    }),
  )
}

// What the SDKs send and what their types have, with the values that an application gives.
const innocent = {
  messages,
  max_completion_tokens: 20,
  temperature: 0.1,
  top_p: 0.9,
  n: 1,
  stop: ['END'],
  seed: 7,
  user: 'u',
  frequency_penalty: 0,
  presence_penalty: 0,
  logit_bias: {},
  logprobs: false,
  response_format: { type: 'text' as const },
  tools: [tool],
  tool_choice: 'auto' as const,
  parallel_tool_calls: true,
  reasoning_effort: 'low' as const,
  metadata: { a: 'b' },
  store: false,
  service_tier: 'auto' as const,
  modalities: ['text' as const],
  prompt_cache_key: 'k',
  safety_identifier: 's',
  verbosity: 'low' as const,
}

test('R2-N9: fields of requests where money is counted, in every API', servers, async (t) => {
  const gateway = await startPaidGateway(t)
  const { url, namespaces, quotas, state, upstream, admin, accounts, kube } = gateway
  state.answer = answerAny
  const token = kube.tokens['developer'] ?? ''
  const openAi = { type: 'openai', baseUrl: upstream.url }
  await addRoute(admin, namespaces.a, 'open', {
    provider: openAi,
    route: { allowedParams: ['keep_alive', 'service_tier'], params: { extra: { from_route: 1 } } },
  })
  await addRoute(admin, namespaces.a, 'dear', { provider: openAi, route: { params: { extra: { models: ['x'] } } } })
  await addRoute(admin, namespaces.a, 'claude', { provider: { type: 'anthropic', baseUrl: upstream.url } })
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}/v1/${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'x-mesh-namespace': namespaces.a,
        ...headers,
      },
      body: JSON.stringify(body),
    })
    const { error } = (await response.json()) as { error?: { code?: string; param?: string; message: string } }
    return { status: response.status, code: error?.code, param: error?.param, message: error?.message ?? '' }
  }
  const chat = (more: object, model = 'paid', headers = {}) =>
    post('chat/completions', { model, messages, max_tokens: 20, ...more }, headers)
  const claude = { model: 'claude', messages, max_tokens: 20 }
  const count = (): void =>
    void quotas.set(namespaces.a, [
      {
        subject: { kind: 'Tenant', name: 't', uid: 't' },
        spend: { amount: 1_000_000n, currency: 'USD', window: 'total' },
      },
    ])

  await t.test('without a limit of money every field passes', async () => {
    assert.equal((await chat({ service_tier: 'priority', keep_alive: 1 })).status, 200)
    assert.equal(upstream.seen.at(-1)?.body['service_tier'], 'priority')
    quotas.set(namespaces.a, [{ subject: { kind: 'Tenant', name: 't', uid: 't' }, concurrency: 5, countsCalls: true }])
    assert.equal((await chat({ keep_alive: 1 })).status, 200, 'places are no money')
  })

  await t.test('what costs money or leaves the route reaches no provider, and holds nothing', async () => {
    count()
    const before = upstream.seen.length
    const refused: readonly (readonly [string, object, string])[] = [
      ['chat/completions', { model: 'paid', messages, service_tier: 'priority' }, 'service_tier'],
      ['chat/completions', { model: 'paid', messages, web_search_options: {} }, 'web_search_options'],
      ['chat/completions', { model: 'paid', messages, models: ['a'] }, 'models'],
      ['chat/completions', { model: 'paid', messages, tools: [{ type: 'web_search' }] }, 'tools[0]'],
      ['chat/completions', { model: 'open', messages, service_tier: 'priority' }, 'service_tier'],
      ['chat/completions', { model: 'dear', messages }, 'models'],
      ['embeddings', { model: 'paid', input: 'x', provider: {} }, 'provider'],
      ['responses', { model: 'paid', input: 'x', service_tier: 'priority' }, 'service_tier'],
      ['messages', { ...claude, speed: 'fast' }, 'speed'],
      ['messages', { ...claude, model: 'paid', speed: 'fast' }, 'speed'],
      ['messages/count_tokens', { model: 'claude', messages, fallbacks: 'default' }, 'fallbacks'],
    ]
    for (const [path, body, param] of refused) {
      const { status, ...error } = await post(path, body)
      assert.deepEqual([status, error.param], [400, param], `${path} ${JSON.stringify(body)} ${JSON.stringify(error)}`)
    }
    assert.match(
      (await chat({ best_of: 3 })).message,
      /^best_of: must be 1 where money is counted or guardrails apply\.$/,
    )
    assert.equal(upstream.seen.length, before)
    assert.equal((await accounts())['Tenant/t']?.held ?? 0n, 0n)
  })

  await t.test('a field that no API documents is sent if the route allows it', async () => {
    const { status, code, param, message: said } = await chat({ keep_alive: 1 })
    assert.deepEqual([status, code, param], [400, 'unsupported_parameter', 'keep_alive'])
    assert.match(said, new RegExp(`^keep_alive: .*allowedParams of the ModelRoute ${namespaces.a}/paid`))
    const odd = await chat({ 'sk-live <secret>': 1 })
    assert.deepEqual([odd.status, odd.param, odd.message.includes('secret')], [400, 'body', false])
    for (const [path, body] of [
      ['embeddings', { model: 'paid', input: 'x', keep_alive: 1 }],
      ['messages', { ...claude, keep_alive: 1 }],
      ['messages/count_tokens', { model: 'claude', messages, keep_alive: 1 }],
    ] as const)
      assert.equal((await post(path, body)).status, 400, path)
  })

  await t.test('an allowed field is sent with the defaults of its route', async () => {
    const operator = await chat({ keep_alive: 1 }, 'open')
    assert.equal(operator.status, 200, operator.message)
    const { body } = upstream.seen.at(-1) ?? assert.fail()
    assert.deepEqual([body['keep_alive'], body['from_route']], [1, 1])
  })

  await t.test('what the SDKs send passes as it is', async () => {
    const client = new OpenAI({
      baseURL: `${url}/v1`,
      apiKey: token,
      maxRetries: 0,
      defaultHeaders: { 'x-mesh-namespace': namespaces.a },
    })
    await client.chat.completions.create({ ...innocent, model: 'paid' })
    assert.deepEqual(upstream.seen.at(-1)?.body, { ...innocent, model: 'test-1' })
    await client.embeddings.create({ model: 'paid', input: ['x'], dimensions: 4, encoding_format: 'float', user: 'u' })
    await client.responses.create({
      model: 'paid',
      input: 'x',
      max_output_tokens: 20,
      store: false,
      include: [],
      service_tier: 'auto',
    })
    const anthropic = new Anthropic({
      baseURL: url,
      apiKey: token,
      maxRetries: 0,
      defaultHeaders: { 'x-mesh-namespace': namespaces.a },
    })
    const asked = {
      ...claude,
      system: 'Be brief.',
      temperature: 0.5,
      top_k: 3,
      service_tier: 'auto' as const,
      metadata: { user_id: 'u' },
    }
    await anthropic.messages.create(asked)
    assert.deepEqual(upstream.seen.at(-1)?.body, { ...asked, model: 'test-1' })
  })

  await t.test('rules alone refuse what costs money, and no field that is only unknown', async () => {
    quotas.clear()
    const ruled = { 'x-test-raise': '1' }
    assert.equal((await chat({ keep_alive: 1 }, 'paid', ruled)).status, 200)
    for (const headers of [ruled, { 'x-mesh-guarded': 'a-proof' }])
      assert.equal((await chat({ models: ['a'] }, 'paid', headers)).param, 'models')
  })
})
