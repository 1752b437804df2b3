import assert from 'node:assert/strict'
import test from 'node:test'
import Anthropic, { APIError as AnthropicError } from '@anthropic-ai/sdk'
import OpenAI, { APIError } from 'openai'
import { refusing } from '../../testdata/money-server.ts'
import { frameOf, opens, startProxied } from '../../testdata/proxied-launcher.ts'
import type { GatewayReply } from '../../testdata/proxied-launcher.ts'

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

test('a conversation of Anthropic’s API is a chat completion with the same roles, tools and media', async (t) => {
  const proxied = await startProxied(t)
  const client = new Anthropic({ baseURL: proxied.url, apiKey: 'any', maxRetries: 0 })
  await client.messages.create({
    model: 'team/mock',
    max_tokens: 7,
    stop_sequences: ['END'],
    metadata: { user_id: 'u1' },
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    tools: [tool],
    tool_choice: { type: 'tool', name: 'add', disable_parallel_tool_use: true },
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'see' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'ok' },
          { type: 'tool_use', id: 't1', name: 'add', input: { a: 1 } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: '2' }] },
          { type: 'text', text: 'go on' },
        ],
      },
    ],
  })
  const fn = { name: 'add', description: 'Adds.', parameters: tool.input_schema }
  assert.deepEqual(proxied.gateway.requests[0]?.body, {
    model: 'team/mock',
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'see' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
        ],
      },
      {
        role: 'assistant',
        content: 'ok',
        tool_calls: [{ id: 't1', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }],
      },
      { role: 'tool', tool_call_id: 't1', content: '2' },
      { role: 'user', content: [{ type: 'text', text: 'go on' }] },
    ],
    max_tokens: 7,
    stop: ['END'],
    user: 'u1',
    tools: [{ type: 'function', function: fn }],
    tool_choice: { type: 'function', function: { name: 'add' } },
    parallel_tool_calls: false,
  })
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
    [{ ...ask, messages: [null] }, /^messages\[0\]:/],
    [{ ...ask, messages: [{ role: 'tool', content: '' }] }, /^messages\[0\]\.role:/],
    [{ ...ask, messages: [{ role: 'user', content: [{ type: 'document' }] }] }, /document/],
    [{ ...ask, messages: [{ role: 'user', content: [{ type: 'image', source: 1 }] }] }, /source/],
    [{ ...ask, messages: [{ role: 'assistant', content: [{ type: 'tool_use' }] }] }, /id and name/],
    [{ ...ask, max_tokens: undefined }, /^max_tokens:/],
    [{ ...ask, max_tokens: 0 }, /^max_tokens:/],
    [{ ...ask, thinking: { type: 'enabled', budget_tokens: 5 } }, /^thinking:/],
    [{ ...ask, top_k: 5 }, /^top_k:/],
    [{ ...ask, tools: [{ type: 'web_search_20250305', name: 'w' }] }, /^tools\[0\]:/],
    [{ ...ask, tools: [tool], tool_choice: { type: 'constructor' } }, /^tool_choice\.type:/],
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
