import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import test from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { needs } from '#test/harness/find-server.ts'
import { refusedByAnthropic, secret, startApis } from '../testing/api-gateway.ts'
import { addKey, addRoute, startUpstream } from '../testing/gateway.ts'

const servers = needs('kube-apiserver', 'etcd', 'kubectl', 'postgres', 'initdb')
const key = 'sk-ant-canary-0123456789'
const cache = { type: 'ephemeral' as const }
const written = {
  cache_creation_input_tokens: 2,
  cache_creation: { ephemeral_5m_input_tokens: 1, ephemeral_1h_input_tokens: 1 },
}
const counts = { input_tokens: 5, ...written, cache_read_input_tokens: 4, output_tokens: 7 }
const content = [
  { type: 'thinking', thinking: 'hm', signature: 'sig' },
  { type: 'text', text: `It is ${secret}.`, citations: null },
  { type: 'tool_use', id: 'toolu_1', name: 'time', input: { zone: 'UTC' } },
]
const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-1', container: null }
const message = { ...head, content, stop_reason: 'tool_use', stop_sequence: null, usage: counts }
const event = (type: string, data: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
const delta = (index: number, type: string, fields: object) =>
  event('content_block_delta', { index, delta: { type, ...fields } })
const stream = [
  event('message_start', { message: { ...head, content: [], usage: { ...counts, output_tokens: 1 } } }),
  event('ping', {}),
  event('content_block_start', { index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } }),
  delta(0, 'thinking_delta', { thinking: 'hm' }),
  delta(0, 'signature_delta', { signature: 'sig' }),
  event('content_block_stop', { index: 0 }),
  event('content_block_start', { index: 1, content_block: { type: 'text', text: '' } }),
  delta(1, 'text_delta', { text: 'It is MAGE' }),
  delta(1, 'text_delta', { text: 'NTA-7.' }),
  event('content_block_stop', { index: 1 }),
  event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } }),
  event('message_stop', {}),
].join('')

const ask = {
  model: 'claude',
  max_tokens: 2048,
  thinking: { type: 'enabled' as const, budget_tokens: 1024 },
  top_k: 5,
  system: [{ type: 'text' as const, text: 'Be brief.', cache_control: cache }],
  tools: [
    { name: 'time', input_schema: { type: 'object' as const, properties: {} }, cache_control: cache },
    { type: 'bash_20250124' as const, name: 'bash' as const },
  ],
  messages: [
    {
      role: 'user' as const,
      content: [
        {
          type: 'document' as const,
          source: { type: 'text' as const, media_type: 'text/plain' as const, data: 'Notes.' },
        },
        { type: 'text' as const, text: 'what time is it?', cache_control: cache },
      ],
    },
    { role: 'assistant' as const, content: [{ type: 'thinking' as const, thinking: 'hm', signature: 'sig' }] },
    {
      role: 'user' as const,
      content: [{ type: 'tool_result' as const, tool_use_id: 'toolu_1', content: 'late', cache_control: cache }],
    },
  ],
}

type Reply = (response: ServerResponse, body: Record<string, unknown>) => void

const answers: Reply = (response, body) => {
  const type = body['stream'] === true ? 'text/event-stream' : 'application/json'
  response.writeHead(200, { 'content-type': type }).end(body['stream'] === true ? stream : JSON.stringify(message))
}

test('messages for a provider with that API pass as they are', servers, async (t) => {
  const gateway = await startApis(t)
  const { a } = gateway.namespaces
  let reply = answers
  const upstream = await startUpstream(t, (response, body) => reply(response, body))
  await addKey(gateway, a, { name: 'claude', key, origin: new URL(upstream.url).origin })
  const provider = { type: 'anthropic', baseUrl: upstream.url, secretRef: { name: 'claude', key: 'key' } }
  await addRoute(gateway.admin, a, 'claude', { provider, route: { params: { temperature: 0.2, stop: ['END'] } } })
  await addRoute(gateway.admin, a, 'mixed', {
    provider,
    route: { fallbacks: [{ providerRef: { name: 'mock' }, model: 'm' }] },
  })
  const token = gateway.kube.tokens['developer'] ?? ''
  const client = (scenario = 'plain', apiKey = token) =>
    new Anthropic({
      baseURL: gateway.url,
      apiKey,
      maxRetries: 0,
      defaultHeaders: { 'x-mesh-namespace': a, 'x-conversation-id': scenario },
    })
  const sent = () => upstream.seen.at(-1) ?? assert.fail()

  await t.test('B7: the caller’s key is its token, and never sent to the provider', async () => {
    const answer = await client().messages.create(ask, { headers: { 'anthropic-beta': 'effort-2025-11-24' } })
    assert.deepEqual(JSON.parse(JSON.stringify(answer)), message)
    const { headers, body } = sent()
    assert.deepEqual(body, { stop_sequences: ['END'], ...ask, model: 'test-1' })
    assert.deepEqual(
      [headers['x-api-key'], headers.authorization, headers['anthropic-beta']],
      [key, undefined, 'effort-2025-11-24'],
    )
    assert.equal(JSON.stringify(headers).includes(token), false)
    const { thinking: _, ...plain } = ask
    await client().messages.create(plain)
    assert.equal(sent().body['temperature'], 0.2)
    assert.equal(gateway.lines.join('').includes(token), false)
  })

  await t.test('streams pass byte for byte, and their cached tokens are metered', async () => {
    const answer = await gateway.post('/v1/messages', JSON.stringify({ ...ask, stream: true }))
    assert.equal(await answer.text(), stream)
    const final = await client().messages.stream(ask).finalMessage()
    assert.deepEqual(JSON.parse(JSON.stringify(final.content[0])), content[0])
    const rows = await gateway.metered(4)
    for (const { data } of rows)
      assert.deepEqual(
        [data['inputTokens'], data['cachedTokens'], data['outputTokens'], data['status']],
        [11, 4, 7, 200],
      )
    for (const { data } of rows) assert.deepEqual([data['cacheWriteTokens'], data['cacheWrite1hTokens']], [2, 1])
  })

  await t.test('filters see every text, and what they change is changed in the message', async () => {
    const masked = await client('guarded').messages.create(ask)
    assert.deepEqual(JSON.parse(JSON.stringify(masked.content)), [
      content[0],
      { type: 'text', text: 'It is ***.' },
      content[2],
    ])
    const { input_tokens: input, cache_creation_input_tokens: some, cache_creation: byTime } = masked.usage
    assert.deepEqual([input, some, byTime?.ephemeral_1h_input_tokens], [5, 2, 1])
    assert.deepEqual(sent().body, { stop_sequences: ['END'], ...ask, model: 'test-1' })
    const final = await client('guarded').messages.stream(ask).finalMessage()
    assert.deepEqual(JSON.parse(JSON.stringify(final.content)), [content[0], { type: 'text', text: 'It is ***.' }])
    const before = upstream.seen.length
    const say = (block: object) => ({ ...ask, messages: [{ role: 'user', content: [block] }] }) as typeof ask
    const places = [
      { ...ask, system: [{ type: 'text' as const, text: secret }] },
      say({ type: 'document', source: { type: 'text', media_type: 'text/plain', data: secret } }),
      say({ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: secret }] }),
      say({ type: 'thinking', thinking: secret, signature: 's' }),
    ]
    for (const one of places) {
      const { status, type, code } = await refusedByAnthropic(client('guarded').messages.create(one))
      assert.deepEqual([status, type, code], [403, 'permission_error', 'acme_secret'])
    }
    assert.equal(upstream.seen.length, before)
  })

  await t.test(
    'tokens are counted by the provider: guarded, without defaults of messages, and not metered',
    async () => {
      reply = (response) =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end('{"input_tokens":14}')
      await addRoute(gateway.admin, a, 'counted', { provider, route: { params: { temperature: 0.2, stop: ['END'] } } })
      const { max_tokens: _, top_k: __, ...rest } = ask
      const input = { ...rest, model: 'counted' }
      const counted = await client('guarded').messages.countTokens(input)
      assert.equal(counted.input_tokens, 14)
      assert.deepEqual(sent().body, { ...input, model: 'test-1' })
      assert.deepEqual([sent().url, sent().headers['x-api-key']], ['/v1/messages/count_tokens', key])
      const calls = upstream.seen.length
      const hidden = { ...input, messages: [{ role: 'user' as const, content: `say ${secret}` }] }
      const refused = await refusedByAnthropic(client('guarded').messages.countTokens(hidden))
      assert.deepEqual([refused.status, refused.type, refused.code], [403, 'permission_error', 'acme_secret'])
      for (const model of ['mixed', 'mock', `agent/${a}/robot`]) {
        const { status, type, code } = await refusedByAnthropic(client().messages.countTokens({ ...input, model }))
        assert.deepEqual([status, type, code], [404, 'not_found_error', 'not_supported'], model)
      }
      const hostile: [unknown, number][] = [
        [{ ...input, mcp_servers: [] }, 400],
        [{ ...input, messages: [] }, 400],
        [{ ...input, tools: [{ type: 'web_search_20250305', name: 'w' }] }, 400],
        [{ ...input, model: 'nowhere' }, 404],
        [{ ...input, model: '\u0000' }, 400],
        [[], 400],
        [null, 400],
      ]
      for (const [body, expected] of hostile) {
        const answer = await gateway.post('/v1/messages/count_tokens', JSON.stringify(body))
        const { type } = (await answer.json()) as { type: string }
        assert.deepEqual([answer.status, type], [expected, 'error'], JSON.stringify(body))
      }
      assert.equal(upstream.seen.length, calls)
      reply = (response) =>
        void response
          .writeHead(400, { 'content-type': 'application/json' })
          .end(JSON.stringify({ error: { message: 'bad' } }))
      assert.equal((await refusedByAnthropic(client().messages.countTokens(input))).status, 400)
      reply = answers
      await client().messages.create({ ...ask, model: 'counted' })
      const isOfRoute = ({ data }: { readonly data: Readonly<Record<string, unknown>> }) =>
        (data['route'] as { name?: string } | undefined)?.name === 'counted'
      // Rows are in the order of calls.
      const rows = await gateway.metered((some) => some.some(isOfRoute))
      assert.deepEqual(
        rows.filter(isOfRoute).map(({ data }) => data['inputTokens']),
        [11],
      )
    },
  )

  await t.test('F5: what belongs to the key, or costs more than tokens, is refused by its field', async () => {
    const before = upstream.seen.length
    const file = { type: 'document', source: { type: 'file', file_id: 'file_1' } }
    const cases: [object, string][] = [
      [{ max_tokens: undefined }, 'max_tokens'],
      [{ container: 'c' }, 'container'],
      [{ mcp_servers: [] }, 'mcp_servers'],
      [{ tools: [{ type: 'web_search_20250305', name: 'w' }] }, 'tools[0]'],
      [{ tools: [null] }, 'tools[0]'],
      [{ messages: [{ role: 'user', content: [file] }] }, 'messages[0]'],
      [{ messages: [{ role: 'user', content: [{ type: 'tool_result', content: [file] }] }] }, 'messages[0]'],
      [{ messages: 5 }, 'messages'],
      [{ stream: 'yes' }, 'stream'],
    ]
    for (const [change, field] of cases) {
      const answer = await gateway.post('/v1/messages', JSON.stringify({ ...ask, ...change }))
      const { error } = (await answer.json()) as { error: { type: string; message: string } }
      assert.deepEqual([answer.status, error.type], [400, 'invalid_request_error'], field)
      assert.ok(error.message.startsWith(field), error.message)
    }
    for (const beta of ['files-api-2025-04-14', 'effort-2025-11-24,context-1m-2025-08-07', '', 'a\u00e9']) {
      const answer = await gateway.post('/v1/messages', JSON.stringify(ask), { 'anthropic-beta': beta })
      assert.equal(answer.status, 400, beta)
    }
    assert.equal(upstream.seen.length, before)
  })

  await t.test('a route with a provider of another API is translated, so its fallback can answer', async () => {
    const { thinking: _, top_k: __, ...plain } = ask
    reply = (response) => void response.writeHead(529).end()
    const said = { ...plain, model: 'mixed', tools: [], messages: [{ role: 'user' as const, content: 'hello' }] }
    const answer = await client().messages.create(said)
    assert.deepEqual(JSON.parse(JSON.stringify(answer.content)), [{ type: 'text', text: 'MOCK_OK' }])
    const { status, message: text } = await refusedByAnthropic(client().messages.create({ ...ask, model: 'mixed' }))
    assert.deepEqual([status, text.startsWith('thinking')], [400, true])
    reply = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(stream.slice(0, stream.indexOf('NTA-7') + 3))
    }
    await assert.rejects(client().messages.stream(ask).finalMessage(), /broke off/)
    reply = answers
  })

  await t.test('x-api-key names one caller, alone or beside the same bearer', async () => {
    const post = (headers: Record<string, string>) =>
      fetch(`${gateway.url}/v1/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-mesh-namespace': a, ...headers },
        body: JSON.stringify(ask),
      })
    const bearer = `Bearer ${token}`
    const statuses: [Record<string, string>, number][] = [
      [{ 'x-api-key': token }, 200],
      [{ 'x-api-key': token, authorization: bearer }, 200],
      [{ 'x-api-key': 'other', authorization: bearer }, 401],
      [{ 'x-api-key': token, authorization: 'Basic x' }, 401],
      [{ 'x-api-key': '' }, 401],
      [{ 'x-api-key': `${token}, ${token}` }, 401],
      [{ 'x-api-key': 'garbage' }, 401],
    ]
    for (const [headers, status] of statuses) {
      const answer = await post(headers)
      const body = (await answer.json()) as { type: string; error?: { type: string } }
      assert.equal(answer.status, status)
      if (status === 401) assert.deepEqual([body.type, body.error?.type], ['error', 'authentication_error'])
    }
  })
})
