import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import test from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { needs } from '#test/harness/find-server.ts'
import { addKey, addRoute, refused, startGateway, startUpstream } from '../testing/gateway.ts'

const servers = needs('kube-apiserver', 'etcd', 'kubectl', 'postgres', 'initdb')
const key = 'sk-ant-canary-0123456789'
const messages = [{ role: 'user' as const, content: 'what time is it?' }]
const fn = { name: 'time', description: 'The time.', parameters: { type: 'object', properties: {} } }
const counts = {
  input_tokens: 5,
  cache_creation_input_tokens: 2,
  cache_read_input_tokens: 4,
  output_tokens: 7,
  output_tokens_details: { thinking_tokens: 3 },
}
const content = [
  { type: 'thinking', thinking: 'hm', signature: 's' },
  { type: 'text', text: 'Let me see.' },
  { type: 'tool_use', id: 'toolu_1', name: 'time', input: { zone: 'UTC' } },
]
const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-1' }

type Reply = (response: ServerResponse) => void

const json =
  (status: number, body: object): Reply =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

const whole = json(200, { ...head, content, stop_reason: 'tool_use', stop_sequence: null, usage: counts })

const events: readonly (readonly [type: string, data: object])[] = [
  ['message_start', { message: { ...head, content: [], usage: { ...counts, output_tokens: 1 } } }],
  ['ping', {}],
  ['content_block_start', { index: 0, content_block: { type: 'thinking', thinking: '' } }],
  ['content_block_delta', { index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } }],
  ['content_block_stop', { index: 0 }],
  ['content_block_start', { index: 1, content_block: { type: 'text', text: '' } }],
  ['content_block_delta', { index: 1, delta: { type: 'text_delta', text: 'Let me ' } }],
  ['content_block_delta', { index: 1, delta: { type: 'text_delta', text: 'see.' } }],
  ['content_block_stop', { index: 1 }],
  ['content_block_start', { index: 2, content_block: { type: 'tool_use', id: 'toolu_1', name: 'time', input: {} } }],
  ['content_block_delta', { index: 2, delta: { type: 'input_json_delta', partial_json: '' } }],
  ['content_block_delta', { index: 2, delta: { type: 'input_json_delta', partial_json: '{"zone":' } }],
  ['content_block_delta', { index: 2, delta: { type: 'input_json_delta', partial_json: '"UTC"}' } }],
  ['content_block_stop', { index: 2 }],
  ['content_block_start', { index: 3, content_block: { type: 'tool_use', id: 'toolu_2', name: 'time', input: {} } }],
  ['content_block_stop', { index: 3 }],
  [
    'message_delta',
    { delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 7, output_tokens_details: { thinking_tokens: 3 } } },
  ],
  ['message_stop', {}],
]

/** Writes events, and ends the response if they are all. */
const streams =
  (most: number, ...more: readonly (readonly [type: string, data: object])[]): Reply =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const [type, data] of [...events.slice(0, most), ...more])
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
    response.end()
  }

const complete = streams(events.length)

test('a provider with Anthropic’s API serves chat completions and messages', servers, async (t) => {
  const gateway = await startGateway(t)
  const { a } = gateway.namespaces
  let reply: Reply = whole
  const upstream = await startUpstream(t, (response) => reply(response))
  await addKey(gateway, a, { name: 'claude', key, origin: new URL(upstream.url).origin })
  const provider = { type: 'anthropic', baseUrl: upstream.url, secretRef: { name: 'claude', key: 'key' } }
  await addRoute(gateway.admin, a, 'claude', { provider, route: { params: { temperature: 0.2 } } })
  await addRoute(gateway.admin, a, 'mock', { provider: { type: 'mock' } })
  await addRoute(gateway.admin, a, 'safe', {
    provider,
    route: { fallbacks: [{ providerRef: { name: 'mock' }, model: 'm' }] },
  })
  const client = gateway.as('developer')
  const sent = () => upstream.seen.at(-1)
  const ask = { model: 'claude', messages, tools: [{ type: 'function' as const, function: fn }] }
  const call = { id: 'toolu_1', type: 'function' as const, function: { name: 'time', arguments: '{"zone":"UTC"}' } }

  await t.test('B7: key and version are headers of that API; the request is a message', async () => {
    const { choices, usage } = await client.chat.completions.create({
      ...ask,
      max_completion_tokens: 9,
      stop: 'END',
      parallel_tool_calls: false,
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'see' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
          ],
        },
        { role: 'assistant', content: 'Let me see.', tool_calls: [call, { ...call, id: 'toolu_2' }] },
        { role: 'tool', tool_call_id: 'toolu_1', content: 'late' },
        { role: 'tool', tool_call_id: 'toolu_2', content: 'later' },
        { role: 'user', content: 'go on' },
      ],
    })
    assert.deepEqual(choices[0]?.message.tool_calls, [call])
    assert.deepEqual([choices[0]?.message.content, choices[0]?.finish_reason], ['Let me see.', 'tool_calls'])
    assert.deepEqual(
      [usage?.prompt_tokens, usage?.prompt_tokens_details?.cached_tokens, usage?.completion_tokens],
      [11, 4, 7],
    )
    const { headers, body, url } = sent() ?? assert.fail()
    assert.deepEqual(
      [url, headers['x-api-key'], headers['anthropic-version'], headers.authorization],
      ['/v1/messages', key, '2023-06-01', undefined],
    )
    const result = (id: string, text: string) => ({ type: 'tool_result', tool_use_id: id, content: text })
    assert.deepEqual(body, {
      model: 'test-1',
      max_tokens: 9,
      system: 'Be brief.',
      temperature: 0.2,
      stop_sequences: ['END'],
      tools: [{ name: 'time', description: 'The time.', input_schema: fn.parameters }],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
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
            { type: 'text', text: 'Let me see.' },
            { type: 'tool_use', id: 'toolu_1', name: 'time', input: { zone: 'UTC' } },
            { type: 'tool_use', id: 'toolu_2', name: 'time', input: { zone: 'UTC' } },
          ],
        },
        {
          role: 'user',
          content: [result('toolu_1', 'late'), result('toolu_2', 'later'), { type: 'text', text: 'go on' }],
        },
      ],
    })
  })

  await t.test('streams have their tool calls, usage and end; the SDK of Anthropic reads them too', async () => {
    reply = complete
    const final = await client.chat.completions.stream(ask).finalChatCompletion()
    const [choice] = final.choices
    assert.deepEqual(
      choice?.message.tool_calls?.map((one) => [one.id, one.type === 'function' && one.function.arguments]),
      [
        ['toolu_1', '{"zone":"UTC"}'],
        ['toolu_2', '{}'],
      ],
    )
    assert.deepEqual([choice?.message.content, choice?.finish_reason], ['Let me see.', 'tool_calls'])
    const sdk = new Anthropic({
      baseURL: gateway.url,
      apiKey: null,
      authToken: gateway.kube.tokens['developer'] ?? '',
      maxRetries: 0,
      defaultHeaders: { 'x-mesh-namespace': a },
    })
    const message = await sdk.messages.stream({ model: 'claude', max_tokens: 5, messages }).finalMessage()
    assert.deepEqual(JSON.parse(JSON.stringify(message.content)), [
      { type: 'thinking', thinking: 'hm' },
      ...content.slice(1),
      { type: 'tool_use', id: 'toolu_2', name: 'time', input: {} },
    ])
    const { usage } = message
    assert.deepEqual(
      [message.stop_reason, usage.input_tokens, usage.cache_read_input_tokens, usage.output_tokens],
      ['tool_use', 5, 4, 7],
    )
    const counted = (data: Readonly<Record<string, unknown>>) => [
      data.inputTokens,
      data.cachedTokens,
      data.outputTokens,
      data.reasoningTokens,
      data.cacheWriteTokens,
    ]
    const rows = await gateway.metered(3)
    for (const { data } of rows) assert.deepEqual(counted(data), [11, 4, 7, 3, 2])
  })

  await t.test('an incomplete answer is an error, and the key is in no answer', async () => {
    const broken = /broke off|overloaded/
    for (const cut of [1, 7, events.length - 1]) {
      reply = streams(cut)
      await assert.rejects(client.chat.completions.stream(ask).finalChatCompletion(), broken, `after ${cut}`)
    }
    reply = streams(7, ['error', { error: { type: 'overloaded_error', message: 'overloaded' } }])
    await assert.rejects(client.chat.completions.stream(ask).finalChatCompletion(), broken)
    const failure = (type: string, message: string) => ({ type: 'error', error: { type, message } })
    const refusals: [number, object, number, RegExp][] = [
      [400, failure('invalid_request_error', 'too long'), 400, /too long/],
      [401, failure('authentication_error', `bad ${key}`), 502, /refused the key/],
      [429, failure('rate_limit_error', 'slow down'), 429, /overloaded/],
      [529, failure('overloaded_error', 'busy'), 502, /failed \(529\)/],
      [200, [], 502, /claude/],
    ]
    for (const [status, body, expected, message] of refusals) {
      reply = json(status, body)
      const error = await refused(client.chat.completions.create(ask))
      assert.equal(error.status, expected, error.message)
      assert.match(error.message, message)
      assert.equal(JSON.stringify(error.error).includes('canary'), false)
    }
    reply = json(529, failure('overloaded_error', 'busy'))
    const safe = await client.chat.completions.create({ ...ask, model: 'safe' })
    assert.equal(safe.choices[0]?.message.content, 'MOCK_OK')
    assert.equal(gateway.lines.join('').includes('canary'), false)
  })

  await t.test('what that API has not is refused by its field, before the provider is called', async () => {
    const before = upstream.seen.length
    const cases: [object, string][] = [
      [{ n: 2 }, 'n'],
      [{ logprobs: true }, 'logprobs'],
      [{ presence_penalty: 1 }, 'presence_penalty'],
      [{ response_format: { type: 'json_object' } }, 'response_format'],
      [{ tools: [{ type: 'custom', custom: { name: 'x' } }] }, 'tools[0]'],
      [{ tool_choice: { type: 'allowed_tools' } }, 'tool_choice'],
      [{ messages: [{ role: 'function', content: 'x' }] }, 'messages[0].role'],
      [{ messages: [{ role: 'user', content: [{ type: 'input_audio' }] }] }, 'messages[0].content'],
      [{ messages: [{ role: 'user', content: { toString: 1 } }] }, 'messages[0].content'],
      [
        {
          messages: [
            { role: 'assistant', tool_calls: [{ id: 'x', type: 'function', function: { name: 'f', arguments: '[' } }] },
          ],
        },
        'messages[0].tool_calls[0].function.arguments',
      ],
    ]
    for (const [body, param] of cases) {
      const error = await refused(client.post('/chat/completions', { body: { ...ask, ...body } }))
      assert.deepEqual([error.status, error.code, error.param], [400, 'provider_refused', param])
    }
    const embedded = await refused(client.embeddings.create({ model: 'claude', input: 'x' }))
    assert.deepEqual([embedded.status, embedded.param], [400, 'model'])
    assert.equal(upstream.seen.length, before)
  })
})
