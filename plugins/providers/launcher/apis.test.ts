import assert from 'node:assert/strict'
import test from 'node:test'
import Anthropic, { APIError as AnthropicError } from '@anthropic-ai/sdk'
import OpenAI, { APIError } from 'openai'
import { refusing } from '#launcher/testdata/money-server.ts'
import { frameOf, opens, startProxied } from '#launcher/testdata/proxied-launcher.ts'
import type { GatewayReply } from '#launcher/testdata/proxied-launcher.ts'

const hello = [{ role: 'user' as const, content: 'hello' }]
const tool = { name: 'add', description: 'Adds.', input_schema: { type: 'object' as const, properties: {} } }

/** A tool call, streamed or whole, after a text. */
const callsTool: GatewayReply = (response, { body }) => {
  const fn = { name: 'add', arguments: '{"a":1}' }
  const usage = { prompt_tokens: 9, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 4 } }
  if (body['stream'] === true) {
    opens(response)
    response.write(frameOf({ role: 'assistant', content: 'Let me add.' }))
    response.write(
      frameOf({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { ...fn, arguments: '{"a"' } }] }),
    )
    response.write(frameOf({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }, 'tool_calls'))
    response.write(`data: ${JSON.stringify({ choices: [], usage })}\n\n`)
    response.end('data: [DONE]\n\n')
    return
  }
  const message = {
    role: 'assistant',
    content: 'Let me add.',
    tool_calls: [{ id: 'call_1', type: 'function', function: fn }],
  }
  const choices = [{ index: 0, message, finish_reason: 'tool_calls' }]
  const text = JSON.stringify({ model: 'test-1', choices, usage })
  response.writeHead(200, { 'content-type': 'application/json' }).end(text)
}

const cut: GatewayReply = (response) => {
  opens(response)
  response.write(frameOf({ content: 'Hel' }), () => response.destroy())
}

test('the SDK of Anthropic creates messages, streams them, calls tools and throws the errors of the port', async (t) => {
  const proxied = await startProxied(t)
  const client = new Anthropic({ baseURL: proxied.url, apiKey: 'any', maxRetries: 0 })
  const ask = { model: 'mock', max_tokens: 100, messages: hello }
  const message = await client.messages.create(ask)
  assert.deepEqual(message.content, [{ type: 'text', text: 'Hello there, agent.' }])
  assert.deepEqual([message.stop_reason, message.usage.input_tokens, message.usage.output_tokens], ['end_turn', 9, 5])
  const streamed = await client.messages.stream(ask).finalMessage()
  assert.deepEqual(streamed.content, message.content)
  assert.deepEqual([streamed.stop_reason, streamed.usage.output_tokens], ['end_turn', 5])

  proxied.gateway.reply = callsTool
  const wanted = [
    { type: 'text', text: 'Let me add.' },
    { type: 'tool_use', id: 'call_1', name: 'add', input: { a: 1 } },
  ]
  for (const answer of [
    await client.messages.create({ ...ask, tools: [tool] }),
    await client.messages.stream({ ...ask, tools: [tool] }).finalMessage(),
  ]) {
    assert.deepEqual(JSON.parse(JSON.stringify(answer.content)), wanted)
    const { stop_reason: reason, usage } = answer
    assert.deepEqual([reason, usage.input_tokens, usage.cache_read_input_tokens], ['tool_use', 5, 4])
  }
  proxied.money.faults.push(refusing(/holds$/, 402, 'budget_exceeded'))
  await assert.rejects(client.messages.create(ask), (error) => {
    assert.ok(error instanceof AnthropicError)
    const body = error.error as { error: { type: string; code: string } }
    assert.deepEqual([error.status, body.error.type, body.error.code], [402, 'billing_error', 'budget_exceeded'])
    return true
  })
  proxied.money.faults.pop()
  proxied.gateway.reply = cut
  await assert.rejects(client.messages.stream(ask).finalMessage(), /gateway_unavailable/)
  assert.equal(proxied.money.settlements().length, 5)
})

test('a request of Anthropic’s API is sent as it is, with its betas, and no credential of the agent', async (t) => {
  const proxied = await startProxied(t)
  const client = new Anthropic({ baseURL: proxied.url, apiKey: 'sk-ant-canary', maxRetries: 0 })
  const cache = { type: 'ephemeral' as const }
  const pdf = { type: 'base64' as const, media_type: 'application/pdf' as const, data: 'AA==' }
  const body = {
    model: 'team/mock',
    max_tokens: 2048,
    thinking: { type: 'enabled' as const, budget_tokens: 1024 },
    system: [{ type: 'text' as const, text: 'Be brief.', cache_control: cache }],
    tools: [{ ...tool, cache_control: cache }],
    messages: [
      { role: 'user' as const, content: [{ type: 'document' as const, source: pdf, cache_control: cache }] },
      { role: 'assistant' as const, content: [{ type: 'thinking' as const, thinking: 'hm', signature: 's' }] },
      { role: 'user' as const, content: 'go on' },
    ],
  }
  await client.messages.create(body, { headers: { 'anthropic-beta': 'interleaved-thinking-2025-05-14' } })
  const [sent] = proxied.gateway.requests
  assert.deepEqual([sent?.path, sent?.body], ['/v1/messages', body])
  assert.equal(sent?.headers['anthropic-beta'], 'interleaved-thinking-2025-05-14')
  assert.equal(sent?.headers['x-api-key'], undefined)
  assert.equal(JSON.stringify([sent?.headers, proxied.lines, proxied.money.requests]).includes('canary'), false)
  const [hold] = proxied.money.holds()
  assert.deepEqual([hold?.body['operation'], hold?.body['maxOutputTokens']], ['chat/completions', 2048])
})

test('B3: streams of messages pass unchanged, and are settled by the usage of their provider', async (t) => {
  const proxied = await startProxied(t)
  const client = new Anthropic({ baseURL: proxied.url, apiKey: 'any', maxRetries: 0 })
  const event = (type: string, data: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
  const written = { ephemeral_5m_input_tokens: 1, ephemeral_1h_input_tokens: 1 }
  const input = { input_tokens: 5, cache_creation_input_tokens: 2, cache_creation: written, cache_read_input_tokens: 4 }
  const counts = { ...input, output_tokens: 1 }
  const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-1', content: [], usage: counts }
  const begin = event('message_start', { message: head })
  const thought = event('content_block_start', {
    index: 0,
    content_block: { type: 'thinking', thinking: '', signature: '' },
  })
  const signed = event('content_block_delta', { index: 0, delta: { type: 'signature_delta', signature: 'sig' } })
  const end = event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } })
  const stop = event('message_stop', {})
  let frames = [begin, thought, signed, event('content_block_stop', { index: 0 }), end, stop]
  proxied.gateway.server.removeAllListeners('request')
  proxied.gateway.server.on('request', (request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(frames.join(''))
  })
  const ask = { model: 'mock', max_tokens: 100, messages: hello }
  const answer = await fetch(`${proxied.url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'any' },
    body: JSON.stringify({ ...ask, stream: true }),
  })
  const text = await answer.text()
  assert.equal(text.replaceAll(/: x-mesh-[^\n]*\n+/g, ''), frames.join(''))
  const { content } = await client.messages.stream(ask).finalMessage()
  assert.deepEqual(JSON.parse(JSON.stringify(content)), [{ type: 'thinking', thinking: '', signature: 'sig' }])
  const cacheWrites = { cacheWriteTokens: 2, cacheWrite1hTokens: 1 }
  const usage = { inputTokens: 11, outputTokens: 7, cachedTokens: 4, reasoningTokens: 0, ...cacheWrites }
  for (const { body } of proxied.money.settlements()) assert.deepEqual(body['usage'], usage)

  frames = [begin, event('error', { error: { type: 'overloaded_error', message: 'busy' } })]
  await assert.rejects(client.messages.stream(ask).finalMessage(), /busy/)
  await proxied.money.until(/settle/, 3)
  const last = proxied.money.settlements().at(-1)
  assert.deepEqual([last?.body['outcome'], last?.body['usage']], ['failed', null])
})

test('tokens of a message are counted within the guardrails, without a hold and without usage of the run', async (t) => {
  const plugins = { budgets: { money: true }, guardrails: { enabled: true } }
  const proxied = await startProxied(t, { config: { plugins } })
  const rules = [{ name: 'words', action: 'mask', regex: { patterns: ['MAGENTA-[0-9]'] } }]
  proxied.money.faults.push((request, response) => {
    if (request.path !== '/guardrails') return false
    const body = { digest: 'd', policies: [{ namespace: 'default', name: 'p', uid: 'u', generation: 1, rules }] }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    return true
  })
  proxied.gateway.reply = (response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end('{"input_tokens":14}')
  const client = new Anthropic({ baseURL: proxied.url, apiKey: 'any', maxRetries: 0 })
  const ask = { model: 'mock', messages: [{ role: 'user' as const, content: 'say MAGENTA-7' }] }
  assert.equal((await client.messages.countTokens(ask)).input_tokens, 14)
  const [sent] = proxied.gateway.requests
  assert.deepEqual([sent?.path, sent?.headers['x-mesh-hold']], ['/v1/messages/count_tokens', undefined])
  assert.deepEqual(sent?.body, { ...ask, messages: [{ role: 'user', content: 'say [masked]' }] })
  assert.equal(proxied.money.holds().length, 0)
  proxied.gateway.reply = (response) => {
    response.writeHead(404, { 'content-type': 'application/json' })
    response.end('{"type":"error","error":{"type":"not_found_error","message":"no","code":"not_supported"}}')
  }
  const error = await client.messages.countTokens(ask).catch((thrown: unknown) => thrown)
  assert.ok(error instanceof AnthropicError)
  const { error: inner } = error.error as { error: { type: string; code: string } }
  assert.deepEqual([error.status, inner.type, inner.code], [404, 'not_found_error', 'not_supported'])
  for (const body of ['{', '[]', '{"model":"mock","messages":[]}', '{"model":"../x","messages":[{}]}']) {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${proxied.url}/v1/messages/count_tokens`, { method: 'POST', headers, body })
    assert.deepEqual([answer.status, ((await answer.json()) as { type: string }).type], [400, 'error'], body)
  }
  const spans = proxied.spans().filter((span) => span['name'] === 'model call')
  assert.deepEqual(
    spans.map((span) => span['status']),
    ['ok', 'error'],
  )
})

test('OpenAI’s Responses API answers whole and as a stream, calls functions and throws the errors of the port', async (t) => {
  const proxied = await startProxied(t)
  const client = new OpenAI({ baseURL: `${proxied.url}/v1`, apiKey: 'any', maxRetries: 0 })
  const whole = await client.responses.create({ model: 'mock', input: 'hello', instructions: 'Be brief.' })
  assert.deepEqual(
    [whole.output_text, whole.status, whole.usage?.total_tokens],
    ['Hello there, agent.', 'completed', 14],
  )
  assert.deepEqual(proxied.gateway.requests[0]?.body['messages'], [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'hello' },
  ])
  const streamed = await client.responses.stream({ model: 'mock', input: 'hello' }).finalResponse()
  assert.deepEqual([streamed.output_text, streamed.usage?.output_tokens], ['Hello there, agent.', 5])

  proxied.gateway.reply = callsTool
  const fn = { type: 'function' as const, name: 'add', parameters: { type: 'object', properties: {} }, strict: null }
  for (const answer of [
    await client.responses.create({ model: 'mock', input: 'add', tools: [fn] }),
    await client.responses.stream({ model: 'mock', input: 'add', tools: [fn] }).finalResponse(),
  ]) {
    const [message, call] = answer.output
    assert.deepEqual([message?.type, call?.type], ['message', 'function_call'])
    assert.ok(call?.type === 'function_call')
    assert.deepEqual([call.call_id, call.name, call.arguments], ['call_1', 'add', '{"a":1}'])
  }
  await client.responses.create({
    model: 'mock',
    input: [
      { role: 'user', content: [{ type: 'input_text', text: 'add' }] },
      { type: 'function_call', call_id: 'call_1', name: 'add', arguments: '{"a":1}' },
      { type: 'function_call_output', call_id: 'call_1', output: '2' },
    ],
  })
  assert.deepEqual(proxied.gateway.requests.at(-1)?.body['messages'], [
    { role: 'user', content: [{ type: 'text', text: 'add' }] },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: '2' },
  ])
  proxied.money.faults.push(refusing(/holds$/, 429, 'rate_limited', { 'retry-after': '3' }))
  await assert.rejects(client.responses.create({ model: 'mock', input: 'x' }), (error) => {
    assert.ok(error instanceof APIError)
    return error.status === 429 && error.code === 'rate_limited' && error.headers?.get('retry-after') === '3'
  })
  proxied.money.faults.pop()
  proxied.gateway.reply = cut
  await assert.rejects(client.responses.stream({ model: 'mock', input: 'x' }).finalResponse())
})

test('F5: what cannot be translated is refused by its field, in the form of its API', async (t) => {
  const proxied = await startProxied(t)
  const post = async (path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(proxied.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    return [
      answer.status,
      (await answer.json()) as { type?: string; error: { message: string; type: string } },
    ] as const
  }
  const ask = { model: 'mock', max_tokens: 5, messages: hello }
  const messages: [unknown, RegExp][] = [
    [{ ...ask, messages: [] }, /^messages:/],
    [{ ...ask, messages: [null] }, /^messages:/],
    [{ ...ask, max_tokens: undefined }, /^max_tokens:/],
    [{ ...ask, max_tokens: 0 }, /^max_tokens:/],
    [{ ...ask, max_tokens: 2 ** 31 }, /^max_tokens:/],
    [{ ...ask, stream: 'yes' }, /^stream:/],
    [{ ...ask, model: '../x' }, /^model:/],
    [[], /must be a JSON object/],
  ]
  for (const [body, message] of messages) {
    const [status, { type, error }] = await post('/v1/messages', body)
    assert.deepEqual([status, type, error.type], [400, 'error', 'invalid_request_error'], String(message))
    assert.match(error.message, message)
  }
  const input: [unknown, RegExp][] = [
    [{ model: 'mock' }, /^input:/],
    [{ model: 'mock', input: [7] }, /^input\[0\]:/],
    [{ model: 'mock', input: [{ type: 'computer_call' }] }, /^input\[0\]\.type:/],
    [{ model: 'mock', input: [{ role: 'x', content: '' }] }, /^input\[0\]\.role:/],
    [{ model: 'mock', input: 'x', previous_response_id: 'resp_1' }, /^previous_response_id:/],
    [{ model: 'mock', input: 'x', background: true }, /^background:/],
    [{ model: 'mock', input: 'x', tools: [{ type: 'web_search' }] }, /^tools\[0\]\.type:/],
    [{ model: 'mock', input: 'x', text: { format: { type: 'grammar' } } }, /^text\.format\.type:/],
  ]
  for (const [body, message] of input) {
    const [status, { error }] = await post('/v1/responses', body)
    assert.deepEqual([status, error.type], [400, 'invalid_request_error'], String(message))
    assert.match(error.message, message)
  }
  assert.deepEqual([proxied.money.requests, proxied.gateway.requests], [[], []])
})
